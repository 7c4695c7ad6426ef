// A client whose host does whatever it likes.

import test from 'node:test'
import assert from 'node:assert/strict'
import { encode } from '../../src/session/cbor.js'
import { crc32c } from '../../src/session/hash.js'
import { T, frameOf, snapshotOf } from '../../src/session/wire.js'
import { FakeHost, World, joined, settle } from './world.js'

/** The same numbers for the same seed. */
function dice(seed) {
  const roll = (n) => (seed = seed * 48271 % 2147483647) % n
  return { roll, one: (list) => list[roll(list.length)] }
}

/** A frame that is well formed, and about anything. */
function anyFrame({ roll, one }) {
  const id = () => one([0, 1, 2, 3, 5, 9, 22, 1000, 2 ** 53 - 1])
  const target = () => one([0, 1, 5, 9, 6, 10, 22, 4002])
  const field = () => ({ name: roll(4), removed: roll(5) === 0, raw: roll(5) === 0 ? new Uint8Array(0) : encode(one([1, 'x', null, [1, { a: 2 }], 2.5])) })
  const fields = () => Array.from({ length: roll(4) }, field).map((f) => f.removed ? { ...f, raw: new Uint8Array(0) } : f.raw.length ? f : { ...f, removed: true })
  const entity = (t) => ({ target: t, class: one(['boat', '', '__proto__']), owner: id(), persistent: roll(2) === 0, fields: fields() })
  const bytes = new Uint8Array(roll(20))
  const text = one(['', 'x', 'host_stopped', 'kicked', 'constructor'])
  switch (roll(18)) {
    case 0: return frameOf(T.ping, { seq: id(), t0: id() })
    case 1: return frameOf(T.pong, { seq: id(), t0: id(), t1: id(), t2: id() })
    case 2: return frameOf(T.load, { transition: id(), uuid: text, name: text, seamless: roll(2) === 0 })
    case 3: return frameOf(T.activate, { transition: id() })
    case 4: return frameOf(T.names, { base: roll(5), names: ['__proto__', 'a'].slice(roll(2)) })
    case 5: {
      const content = snapshotOf([0, 9, 22, 26].slice(roll(4)).map(entity))
      return Buffer.concat([frameOf(T.snapBegin, { seq: id(), size: content.length }), frameOf(T.snapPart, { data: content }), frameOf(T.snapEnd, { crc: crc32c(content) })])
    }
    case 6: return frameOf(T.delta, { prev: roll(3), seq: roll(4), changes: [{ target: target(), fields: fields() }] })
    case 7: return frameOf(T.spawn, { entity: entity(one([6, 10, 22, 4002])) })
    case 8: return frameOf(T.despawn, { target: one([1, 5, 9, 6, 22]) })
    case 9: return frameOf(T.owner, { object: id(), owner: id() })
    case 10: return frameOf(T.check, { seq: roll(4), crc: roll(5) })
    case 11: case 12: return frameOf(T.rpc, { call: id(), object: one([0, 5, 9]), name: one(['a', 'throws', 'toString']), args: bytes })
    case 13: return frameOf(T.result, { call: roll(5), status: roll(20), value: bytes })
    case 14: return frameOf(T.relayed, { from: id(), object: 0, name: 'a', args: bytes })
    case 15: return roll(6) ? frameOf(T.ping, { seq: 1, t0: 1 }) : frameOf(T.bye, { code: text, text })
    case 16: return roll(8) ? frameOf(T.activate, { transition: 1 }) : frameOf(one([T.resync, T.reject, T.welcome, T.hello]), {
      seq: 1, code: text, text, retryAfterMillis: 1, id: 2, session: 's', token: new Uint8Array(16), role: roll(3), resumed: false, proof: bytes, hostMicros: 1, tickHz: 1,
      limits: new Proxy({}, { get: () => 1 }), minVersion: 1, maxVersion: 1, nonce: new Uint8Array(16), project: new Uint8Array(32)
    })
    default: return roll(8) ? frameOf(T.snapPart, { data: bytes }).slice(0, 2 + roll(3)) : frameOf(T.snapBegin, { seq: 1, size: id() % 5 })
  }
}

test('any frames in any order: no throw, one start, one end, which is last', async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const d = dice(seed * 7919)
    const all = joined({ entities: [{ target: 0, fields: { a: 1, b: 2, c: 3, d: 4 } }] })
    const { world, s, calls } = all
    let { h } = all
    s.context.onRpc('a', () => {})
    s.context.onRpc('throws', () => { throw new Error('on purpose') })
    s.onClientSceneLoadRequested.add((uuid, name, seamless, transitionId) => { if (d.roll(2)) s.notifyClientSceneLoaded({ transitionId }, d.roll(4) > 0) })
    for (let n = 0; n < 60; n++) {
      switch (d.roll(8)) {
        case 0: s.update(0); break
        case 1: world.pass(d.roll(4000)); break
        case 2: if (s.isSessionActive) s.sendRpcToHost('x', d.roll(9), new Uint8Array(d.roll(100))); break
        case 3:
          if (d.roll(6) === 0) h.t.drop(d.one([1006, 4005, 4004, 1000, 4999]))
          break
        default:
          if (world.last !== h.t && world.last.state === 'connecting') {
            h = new FakeHost(world)
            h.challenge()
            h.send(h.welcomeFrame({ resumed: true, id: d.one([2, 2, 2, 3]) }))
          }
          if (h.t.state === 'open') h.t.receive(Uint8Array.from(anyFrame(d)).buffer)
      }
    }
    s.stop()
    s.update(0)
    world.pass(60000)
    s.update(0)
    const names = calls.map(([name]) => name)
    assert.equal(names.filter((n) => n === 'onSessionStarted').length, 1, `seed ${seed}`)
    assert.equal(names.filter((n) => n === 'onSessionStopped').length, 1, `seed ${seed}`)
    assert.equal(names[names.length - 1], 'onSessionStopped', `seed ${seed}`)
    assert.equal(names.includes('onClientJoinFailed'), false, `seed ${seed}`)
    assert.equal(world.timers.length, 0, `seed ${seed}`)
    assert.equal(s.mode, 'none')
    for (const [level, ...line] of world.lines) if (level === 'error') assert.match(String(line[0]), /the call throws threw/, `seed ${seed}`)
  }
  assert.equal({}.a, undefined)
  await settle()
})

test('limits that nobody could live with do not stop the page', () => {
  for (const value of [0, 1, 2 ** 53 - 1]) {
    const limits = { args: value, message: value, frames: value, framesBurst: value, bytes: value, bytesBurst: value, calls: value, callsBurst: value,
      pingMillis: value, timeoutMillis: value, resumeMillis: value, callsInFlight: value }
    const { world, s, h } = joined({ host: { limits } })
    const op = s.sendRpcToHost('x', 0, null)
    world.pass(30000)
    s.update(0)
    assert.notEqual(op.state, 'pending', `${value}`)
    assert.ok(h.t.sent.length < 200, `${value}: ${h.t.sent.length} messages`)
    s.stop()
    s.update(0)
    assert.equal(world.timers.length, 0)
  }
})

test('a snapshot larger than allowed, and a queue of snapshots, are bounded', () => {
  const { s, h } = joined()
  const content = h.content([{ target: 0, fields: { big: 'x'.repeat(60000) } }])
  let sent = 0
  for (let n = 0; n < 400 && !h.t.closed; n++) {
    h.send(frameOf(T.snapBegin, { seq: n, size: content.length }))
    for (let at = 0; at < content.length; at += 16384) h.send(frameOf(T.snapPart, { data: content.subarray(at, at + 16384) }))
    h.send(frameOf(T.snapEnd, { crc: crc32c(content) }))
    sent++
  }
  assert.equal(sent, 400)
  h.heard()
  s.update(0)
  assert.deepEqual(h.heard().map((f) => f.type), [T.resync], 'what was too much is asked for once more')
  h.t.receive(new Uint8Array([20, 0, 5, 0, 0x81, 0x80, 0x80, 8]).buffer)
  assert.equal(h.t.closed[0], 4002)
})

test('words of strangers are cleaned before anybody sees them', () => {
  const { s, h, take } = joined()
  take()
  h.bye('kicked', '\u202Egnp.exe\u0000\n' + 'a')
  s.update(0)
  assert.deepEqual(take(), [['onSessionStopped', 'kicked: gnp.exea']])
  assert.equal(s.lastError, 'kicked: gnp.exea')
  const world = new World()
  const m = world.manager()
  m.s.joinSession({ projectId: 'a', buildHash: 'b' }, 'http://\u202Eevil')
  assert.match(m.s.lastError, /^'http:\/\/evil' is not/)
})
