import { connect, StringCodec, headers } from './nats.mjs'

const lines = []
const text = StringCodec()
const nc = await connect({ servers: 'ws://SERVER_HOST', name: 'game', reconnect: false })
lines.push('max payload ' + nc.info.max_payload)
const sub = nc.subscribe('game.>')
const seen = (async () => {
  for await (const m of sub) {
    lines.push(`${m.subject} ${m.data.length} ${m.headers ? m.headers.get('Player') : '-'}`)
    if (m.reply) m.respond(text.encode('answer to ' + text.decode(m.data)))
  }
})()
nc.publish('game.small', text.encode('hello'))
const h = headers()
h.set('Player', 'P1')
nc.publish('game.big', new Uint8Array(200000), { headers: h })
const answer = await nc.request('game.ask', text.encode('who'), { timeout: 60000 })
lines.push(text.decode(answer.data))
try { await nc.request('nobody.here', text.encode('?'), { timeout: 60000 }) } catch (e) { lines.push('no responders ' + e.code) }
await nc.flush()
await nc.drain()
await seen
lines.push('closed ' + (await nc.closed()))
report('nats', lines)
