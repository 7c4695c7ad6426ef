const lines = []
const bytes = value => value instanceof ArrayBuffer ? 'bytes ' + new Uint8Array(value).join() : JSON.stringify(value)
const once = (target, name) => new Promise(ok => target.once(name, (...args) => ok(args)))

/** Talks to the server over some transports and notes what it says. */
async function talk(name, url, options) {
  const say = text => lines.push(name + ': ' + text)
  const socket = io(url, { reconnection: false, forceNew: true, query: { player: 'P1' }, ...options })
  socket.on('connect_error', e => { say('connect_error ' + e.message); report('socketio', lines) })
  const hello = once(socket, 'hello'), upgraded = options.upgrades ? once(socket.io.engine, 'upgrade') : null
  await once(socket, 'connect')
  const [{ origin, cookie, query }] = await hello
  say(`hello ${origin === location.origin || /^http:.*:\d+$/.test(origin) ? 'own origin' : origin} cookie=${cookie} ${query}`)
  if (upgraded) await upgraded
  say('transport ' + socket.io.engine.transport.name)
  for (const value of ['text', { deep: [1, { a: null }] }, 'ü'.repeat(400), new Uint8Array([1, 2, 255]).buffer]) {
    say('echo ' + bytes(await socket.emitWithAck('echo', value)).slice(0, 60))
  }
  const big = new Uint8Array(300000).fill(7)
  say('big ' + (await socket.emitWithAck('echo', big)).byteLength)
  const joined = once(socket, 'joined')
  socket.emit('join', 'room 1')
  say('joined ' + await joined)
  const gone = once(socket, 'disconnect')
  socket.emit('drop me')
  say('disconnect ' + (await gone)[0])
}

await talk('default', '/', { upgrades: true })
await talk('polling', '/', { transports: ['polling'] })
await talk('websocket', '/', { transports: ['websocket'] })
await talk('elsewhere', 'ws://SERVER_HOST', { transports: ['websocket'] })
const lobby = io('/lobby', { forceNew: true, auth: { ticket: 'T1' } })
lines.push('lobby: ' + await once(lobby, 'in lobby'))
report('socketio', lines)
