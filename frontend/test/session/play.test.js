// A client that has joined: scenes, state, calls.

import test from 'node:test'
import assert from 'node:assert/strict'
import { T, frameOf } from '../../src/session/wire.js'
import { DataStream } from '../../src/session/stream.js'
import { FakeHost, LIMITS, World, args, joined, settle } from './world.js'

const instance = (transitionId) => ({ instanceId: 'i', scene: { uuid: 'u', name: 'n' }, transitionId })
const loadedFrames = (h) => h.heard().filter((f) => f.type === T.loaded).map((f) => [f.transition, f.ok, f.text])

// Scenes

test('scene: requested, loaded, activated, and activeScene is set just before the event', () => {
  const { h, s, take } = joined()
  take()
  let at
  s.onClientSceneActivate.add(() => { at = s.activeScene })
  h.load(7, { uuid: 'abc', name: 'harbour', seamless: true })
  s.update(0)
  assert.deepEqual(take(), [['onClientSceneLoadRequested', 'abc', 'harbour', true, 7]])
  assert.equal(s.activeScene, null)
  s.notifyClientSceneLoaded(instance(7))
  assert.deepEqual(loadedFrames(h), [[7, true, '']])
  h.activate(7)
  s.update(0)
  assert.deepEqual(take(), [['onClientSceneActivate', 7]])
  assert.deepEqual([at.transitionId, at.scene.uuid, at.scene.name], [7, 'abc', 'harbour'])
})

test('scene: an Activate that comes before the own load is held (stale client)', () => {
  const { h, s, take } = joined()
  h.load(1)
  h.snapshot(2, [{ target: 22, fields: { x: 1 } }])
  h.activate(1)
  s.update(0)
  take()
  s.update(0)
  assert.deepEqual(take(), [], 'no object and no activation before its scene is loaded (NGO#3115, Mirror#3606)')
  h.delta(2, 3, [[22, { x: 2 }]])
  s.update(0)
  assert.deepEqual(take(), [])
  s.notifyClientSceneLoaded(instance(1))
  s.update(0)
  assert.deepEqual(take(), [['onClientObjectReplicated', 5], ['onClientSceneActivate', 1]])
  assert.equal(s.context.objects.get(5).get('x'), 2)
})

test('scene: a newer request supersedes; the old one is neither reported nor activated', () => {
  const { h, s, take } = joined()
  take()
  h.load(1)
  h.load(2)
  s.update(0)
  assert.deepEqual(take().map((e) => e[4]), [1, 2])
  s.notifyClientSceneLoaded(instance(1))
  h.activate(1)
  s.update(0)
  assert.deepEqual(loadedFrames(h), [])
  assert.deepEqual(take(), [])
  s.notifyClientSceneLoaded(instance(2))
  h.activate(2)
  s.update(0)
  assert.deepEqual(take(), [['onClientSceneActivate', 2]])
  h.load(1)
  s.update(0)
  assert.deepEqual(take(), [], 'an older one that comes late')
})

test('scene: the same scene again is a full transition', () => {
  const { h, s, take } = joined()
  for (const tid of [1, 2]) {
    h.load(tid, { uuid: 'same' })
    s.update(0)
    s.notifyClientSceneLoaded(instance(tid))
    h.activate(tid)
    s.update(0)
  }
  assert.deepEqual(take().filter(([name]) => name === 'onClientSceneActivate'), [['onClientSceneActivate', 1], ['onClientSceneActivate', 2]])
})

test('notifyClientSceneLoaded: before any request, twice, and for another transition it does nothing', () => {
  const { world, h, s } = joined()
  s.notifyClientSceneLoaded(instance(1))
  assert.match(world.lines[0][1], /has not asked/)
  h.load(3)
  s.update(0)
  s.notifyClientSceneLoaded(undefined)
  s.notifyClientSceneLoaded(instance(2))
  s.notifyClientSceneLoaded(instance(3))
  s.notifyClientSceneLoaded(instance(3), false, 'late')
  assert.deepEqual(loadedFrames(h), [[3, true, '']])
  assert.throws(() => new (new World().Manager)().notifyClientSceneLoaded(instance(1)), /only a client/)
})

test('notifyClientSceneLoaded: a failure reaches the host, cut to what fits', () => {
  const { h, s } = joined()
  h.load(1)
  s.update(0)
  s.notifyClientSceneLoaded(instance(1), false, 'no file: ' + 'é'.repeat(400))
  const [[, ok, text]] = loadedFrames(h)
  assert.equal(ok, false)
  assert.equal(Buffer.byteLength(text), 511)
  h.activate(1)
  s.update(0)
  assert.equal(s.activeScene, null)
})

test('context.sceneLoader loads and reports by itself', async () => {
  const { h, s, take } = joined()
  take()
  const asked = []
  s.context.sceneLoader = async (scene, seamless) => {
    asked.push([scene, seamless])
    if (scene.name === 'bad') throw new Error('no such file')
    return { instanceId: 'mine', root: 5 }
  }
  h.load(1, { uuid: 'u', name: 'good' })
  s.update(0)
  await settle()
  assert.deepEqual(asked, [[{ uuid: 'u', name: 'good' }, false]])
  assert.deepEqual(loadedFrames(h), [[1, true, '']])
  h.activate(1)
  s.update(0)
  assert.deepEqual([s.activeScene.instanceId, s.activeScene.root, s.activeScene.transitionId], ['mine', 5, 1])
  h.load(2, { name: 'bad' })
  s.update(0)
  await settle()
  assert.deepEqual(loadedFrames(h), [[2, false, 'no such file']])
})

test('scene: objects go with a Load, persistent ones stay with a seamless one', () => {
  const { h, s, take } = joined({ entities: [] })
  h.spawn(1, { fields: { a: 1 } })
  h.spawn(2, { persistent: true })
  s.update(0)
  const kept = s.context.objects.get(2)
  take()
  h.load(1, { seamless: true })
  s.update(0)
  assert.deepEqual(take().map((e) => e.slice(0, 2)), [['onClientObjectRemoved', 1], ['onClientSceneLoadRequested', 'u1']])
  assert.equal(s.context.objects.get(2), kept)
  s.notifyClientSceneLoaded(instance(1))
  h.snapshot(2, [{ target: 10, persistent: true, fields: {} }])
  h.activate(1)
  s.update(0)
  assert.deepEqual(take(), [['onClientSceneActivate', 1]], 'no despawn and spawn for what was kept')
  assert.equal(s.context.objects.get(2), kept)
  h.load(2)
  s.update(0)
  assert.equal(s.context.objects.size, 0)
})

test('scene: after a resume an active scene is not asked for again (Mirror#3520), and the host hears what is loaded', () => {
  const { world, h, s, take } = joined()
  h.load(4)
  s.update(0)
  s.notifyClientSceneLoaded(instance(4))
  h.activate(4)
  s.update(0)
  take()
  h.t.drop(1006)
  world.pass(0)
  const again = new FakeHost(world)
  again.challenge()
  assert.equal(again.take()[0].loaded, 4)
  again.send(again.welcomeFrame({ resumed: true }))
  again.snapshot(9, [])
  again.activate(4)
  s.update(0)
  assert.deepEqual(take().map(([name]) => name), ['onClientConnectionLost', 'onClientConnectionResumed', 'onClientGameStateReplicated'])
  again.load(4)
  s.update(0)
  assert.deepEqual(loadedFrames(again), [[4, true, '']], 'a Load of what is loaded is answered at once')
  assert.deepEqual(take(), [])
})

test('scene: a Load that is asked for again while it runs is not fired again', () => {
  const { world, h, s, take } = joined()
  h.load(4)
  s.update(0)
  h.t.drop(1006)
  world.pass(0)
  const again = new FakeHost(world)
  again.challenge()
  again.take()
  again.send(again.welcomeFrame({ resumed: true }))
  again.snapshot(9, [])
  again.load(4)
  s.update(0)
  assert.equal(take().filter(([name]) => name === 'onClientSceneLoadRequested').length, 1)
  s.notifyClientSceneLoaded(instance(4))
  assert.deepEqual(loadedFrames(again), [[4, true, '']])
})

// State

test('state: changes are told once per update and are complete', () => {
  const { h, s, take } = joined()
  take()
  h.delta(1, 2, [[0, { phase: 'a' }]])
  h.delta(2, 3, [[0, { phase: 'b', round: 2 }], [9, { score: 7 }], [13, { score: 8 }]])
  const seen = []
  s.onClientGameStateReplicated.add((state) => seen.push(state.get('phase'), state.get('round')))
  s.update(0)
  assert.deepEqual(take().map(([name]) => name), ['onClientGameStateReplicated', 'onClientPlayerStateReplicated'])
  assert.deepEqual(seen, ['b', 2])
  assert.equal(s.context.playerState.get('score'), 7)
  assert.deepEqual([...s.context.playerStates.keys()], [2, 3], 'a PlayerState that was not known is new')
  s.update(0)
  assert.deepEqual(take(), [])
})

test('state: removed fields, nested values and frozen results', () => {
  const { h, s } = joined({ entities: [{ target: 0, fields: { pos: { x: 1, list: [1, { y: 2 }] }, 'a.b': 3, gone: 1 } }] })
  const state = s.context.gameState
  assert.equal(state.get('pos.x'), 1)
  assert.equal(state.get('pos.list.1.y'), 2)
  assert.equal(state.get('a.b'), 3)
  assert.deepEqual([state.get('pos.z'), state.get('pos.x.y'), state.get(''), state.get('a')], [undefined, undefined, undefined, undefined])
  assert.throws(() => { 'use strict'; state.get('pos').x = 5 }, TypeError)
  h.delta(1, 2, [[0, { gone: undefined }]])
  s.update(0)
  assert.deepEqual(state.names(), ['pos', 'a.b'])
  assert.equal(state.typeName, 'GameState')
  assert.match(state.uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('state: only the session host changes it', () => {
  const { s } = joined({ entities: [{ target: 22, fields: {} }] })
  const { context } = s
  assert.throws(() => context.gameState.set('a', 1), /only the session host/)
  assert.throws(() => context.objects.get(5).set('a', 1), /only the session host/)
  assert.throws(() => context.spawn('boat', {}), /only the session host/)
  assert.throws(() => context.despawn(5), /only the session host/)
  assert.throws(() => context.setOwner(5, 2), /only the session host/)
  assert.equal(context.objects.set, undefined)
})

test('objects: spawn, change, owner, despawn', () => {
  const { h, s, take } = joined({ entities: [] })
  take()
  h.spawn(5, { class: 'boat', owner: 2, fields: { x: 1 } })
  s.update(0)
  assert.deepEqual(take(), [['onClientObjectReplicated', 5]])
  const boat = s.context.objects.get(5)
  assert.deepEqual([boat.netObjectId, boat.typeName, boat.owner, boat.isMine, boat.persistent, boat.get('x')], [5, 'boat', 2, true, false, 1])
  h.delta(1, 2, [[22, { x: 2 }]])
  h.delta(2, 3, [[22, { x: 3 }], [26, { x: 1 }]])
  s.update(0)
  assert.deepEqual(take(), [['onClientObjectReplicated', 5]], 'a change of an object that is not known is ignored')
  assert.equal(boat.get('x'), 3)
  h.owner(5, 3)
  h.owner(6, 3)
  s.update(0)
  assert.deepEqual(take(), [['onClientObjectReplicated', 5]])
  assert.equal(boat.isMine, false)
  h.delta(3, 4, [[22, { x: 4 }]])
  h.despawn(5)
  h.despawn(6)
  s.update(0)
  assert.deepEqual(take(), [['onClientObjectRemoved', 5]])
  assert.equal(boat.get('x'), 4, 'who holds it still reads the last values')
})

test('objects: at every call that names an object the object is there (NGO#790)', () => {
  const { h, s } = joined({ entities: [] })
  const missing = []
  let count = 0
  s.context.onRpc('hit', (data, from, id) => { count++; if (!s.context.objects.has(id)) missing.push(id) })
  for (let id = 1; id <= 1000; id++) {
    h.spawn(id, { fields: {} })
    h.rpc(id, id, 'hit')
    h.despawn(id)
  }
  s.update(0)
  assert.deepEqual([count, missing.length], [1000, 0])
})

test('state: a lost delta is noticed and healed by a snapshot (BGIO#713)', () => {
  const { h, s, take } = joined()
  take()
  h.heard()
  h.delta(2, 3, [[0, { phase: 'x' }]])
  h.delta(3, 4, [[0, { phase: 'y' }]])
  s.update(0)
  assert.deepEqual(h.heard().map((f) => [f.type, f.seq]), [[T.resync, 1]], 'asked once')
  assert.equal(s.context.gameState.get('phase'), 'lobby')
  h.snapshot(9, [{ target: 0, fields: { phase: 'z' } }, { target: 9, fields: { score: 1 } }])
  h.delta(9, 10, [[9, { score: 2 }]])
  s.update(0)
  assert.equal(s.context.gameState.get('phase'), 'z')
  assert.deepEqual(take().map(([name]) => name), ['onClientGameStateReplicated', 'onClientPlayerStateReplicated'])
})

test('state: the checksum is over what is here, and a difference asks for a snapshot', async () => {
  const { crc32c } = await import('../../src/session/hash.js')
  const { h, s } = joined({ entities: [] })
  h.spawn(5, { owner: 2, persistent: true, fields: { b: [1, 2.5], a: 'x' } })
  h.delta(1, 2, [[0, { a: 1, b: null }], [9, { a: 0.1 }]])
  h.delta(2, 3, [[0, { b: undefined }]])
  const want = h.content([{ target: 0, fields: { a: 1 } }, { target: 9, fields: { a: 0.1 } },
    { target: 22, owner: 2, persistent: true, fields: { b: [1, 2.5], a: 'x' } }])
  h.heard()
  h.send(frameOf(T.check, { seq: 3, crc: crc32c(want) }))
  s.update(0)
  assert.deepEqual(h.heard(), [])
  h.send(frameOf(T.check, { seq: 3, crc: 1 }), frameOf(T.check, { seq: 3, crc: 2 }))
  s.update(0)
  assert.deepEqual(h.heard().map((f) => f.type), [T.resync])
})

test('state: other frames may stand between the parts of a snapshot', () => {
  const { h, s } = joined()
  let called = 0
  s.context.onRpc('x', () => { called++ })
  const content = h.content([{ target: 0, fields: { big: 'x'.repeat(40000) } }])
  h.send(frameOf(T.snapBegin, { seq: 5, size: content.length }))
  for (let at = 0; at < content.length; at += 16384) {
    h.send(frameOf(T.snapPart, { data: content.subarray(at, at + 16384) }))
    h.rpc(at + 1, 0, 'x')
    h.send(frameOf(T.ping, { seq: 1, t0: 1 }))
  }
  h.send(frameOf(T.snapEnd, { crc: crcOf(content) }))
  s.update(0)
  assert.equal(called, 3)
  assert.equal(s.context.gameState.get('big').length, 40000)
})

function crcOf(bytes) {
  let crc = -1
  for (const byte of bytes) {
    crc ^= byte
    for (let k = 0; k < 8; k++) crc = crc & 1 ? crc >>> 1 ^ 0x82f63b78 : crc >>> 1
  }
  return ~crc >>> 0
}

test('update that is not called: state is thrown away at the bound, calls are refused, and a snapshot brings it back', () => {
  const { h, s, take } = joined()
  take()
  s.context.onRpc('x', () => {})
  h.heard()
  for (let i = 1; i < 4200; i++) h.delta(i, i + 1, [[0, { n: i }]])
  h.load(1)
  s.update(0)
  assert.deepEqual(take().map(([name]) => name), ['onClientSceneLoadRequested'], 'scenes are never thrown away')
  assert.deepEqual(h.heard().map((f) => f.type), [T.resync])
  h.snapshot(5000, [{ target: 0, fields: { n: 4199 } }])
  s.update(0)
  assert.equal(s.context.gameState.get('n'), 4199)
  for (let i = 1; i <= 4100; i++) h.rpc(i, 0, 'x')
  const refused = h.heard().filter((f) => f.type === T.result)
  assert.deepEqual([refused.length, refused[0].status], [4, 7])
  s.update(0)
  assert.equal(h.heard().filter((f) => f.type === T.result && f.status === 0).length, 4096)
})

// Calls

test('sendRpcToHost: the outcome comes in update, with the reply', async () => {
  const { world, h, s } = joined()
  h.heard()
  const data = args('hi')
  const op = s.sendRpcToHost('say', 5, data)
  data.writeU8(1)
  const [call] = h.heard()
  assert.deepEqual([call.type, call.name, call.object, DataStream.from(call.args).readString(), call.args.length], [T.rpc, 'say', 5, 'hi', 3])
  world.pass(30)
  h.result(call.call, 0, new Uint8Array([42]))
  world.pass(100)
  assert.equal(op.state, 'pending')
  let done = 0
  op.onDone(() => done++)
  s.update(0)
  assert.equal(done, 1)
  const result = await op
  assert.deepEqual([result.status, result.connectionId, result.callId, result.rttMs, result.value.readU8()], ['ok', 1, call.call, 30, 42])
})

test('sendRpcToHost: every status of the host arrives by its name', () => {
  const { h, s } = joined()
  h.heard()
  for (const [number, status] of [[1, 'no_handler'], [2, 'handler_threw'], [3, 'no_object'], [4, 'not_owner'], [5, 'rejected'], [6, 'rate_limited'],
    [7, 'queue_full'], [8, 'too_large'], [9, 'unknown'], [200, 'unknown']]) {
    const op = s.sendRpcToHost('x', 0, null)
    h.result(h.heard()[0].call, number)
    s.update(0)
    assert.deepEqual([op.state, op.result.status, op.result.value], ['succeeded', status, undefined])
  }
})

test('sendRpcToHost: too much is too_large here, and the next call works (godot#84423)', () => {
  const { h, s } = joined()
  h.heard()
  for (const size of [70 << 10, 2 << 20]) {
    const op = s.sendRpcToHost('x', 0, new Uint8Array(size))
    s.update(0)
    assert.equal(op.result.status, 'too_large')
  }
  assert.deepEqual(h.heard(), [])
  s.sendRpcToHost('x', 0, new Uint8Array(1024))
  assert.equal(h.heard().length, 1)
})

test('sendRpcToHost: a name, an object and arguments that are none throw at once', () => {
  const { s } = joined()
  for (const bad of [() => s.sendRpcToHost('', 0, null), () => s.sendRpcToHost('é'.repeat(65), 0, null), () => s.sendRpcToHost(5, 0, null),
    () => s.sendRpcToHost('x', -1, null), () => s.sendRpcToHost('x', 0, 'text'), () => s.sendRpcToHost('x', 1.5, null)]) assert.throws(bad, TypeError)
})

test('sendRpcToHost: without a session, and on what is not a client, it fails', () => {
  const { s } = new World().manager()
  const op = s.sendRpcToHost('x', 0, null)
  const others = [s.sendRpcToOwner('x', 1, null), s.sendRpcToConnection('x', 0, null, 2), s.sendRpcMulticast('x', 0, null, [2])]
  assert.equal(op.state, 'pending', 'never at once')
  s.update(0)
  assert.deepEqual([op, ...others].map((o) => o.error), ['not_connected', 'not_connected', 'not_connected', 'not_connected'])
  const client = joined()
  const wrong = [client.s.sendRpcToOwner('x', 1, null), client.s.sendRpcToConnection('x', 0, null, 2), client.s.sendRpcMulticast('x', 0, null, [2])]
  client.s.update(0)
  assert.deepEqual(wrong.map((o) => o.error), ['not_host', 'not_host', 'not_host'])
  assert.throws(() => client.s.disconnectPeer(2, 'x'), /only the session host/)
  assert.throws(() => client.s.hostLoadScene({ uuid: 'u', name: 'n' }), /only the session host/)
})

test('sendRpcToHost: 10 s without an answer are a timeout; unsent, it fails', () => {
  const { world, h, s } = joined()
  const op = s.sendRpcToHost('x', 0, null)
  for (let i = 0; i < 5; i++) { world.pass(1999); h.send(frameOf(T.ping, { seq: 1, t0: 1 })); s.update(0) }
  assert.equal(op.state, 'pending')
  world.pass(10)
  s.update(0)
  assert.equal(op.result.status, 'timeout')
  h.t.drop(1006)
  const unsent = s.sendRpcToHost('x', 0, null)
  world.pass(10001)
  s.update(0)
  assert.equal(unsent.error, 'timeout')
})

test('sendRpcToHost: a call under way when the link drops is unknown after the resume and not sent again', () => {
  const { world, h, s } = joined()
  const op = s.sendRpcToHost('x', 0, null)
  h.t.drop(1006)
  const waiting = s.sendRpcToHost('y', 0, null)
  world.pass(0)
  const again = new FakeHost(world)
  again.challenge()
  again.take()
  again.send(again.welcomeFrame({ resumed: true }))
  again.snapshot(2, [])
  s.update(0)
  assert.equal(op.result.status, 'unknown')
  assert.deepEqual(again.heard().map((f) => f.name), ['y'], 'what had not left goes out')
  assert.equal(waiting.state, 'pending')
})

test('sendRpcToHost: the end of the session fails what is under way', () => {
  const { h, s } = joined()
  const op = s.sendRpcToHost('x', 0, null)
  const settled = []
  op.onDone(() => settled.push(s.isSessionActive))
  s.onSessionStopped.add(() => settled.push('stopped'))
  h.bye('kicked', 'bye')
  s.update(0)
  assert.match(op.error, /^kicked/)
  assert.deepEqual(settled, [false, 'stopped'])
})

test('sendRpcToHost paces itself, in order, and what has not left can be cancelled', () => {
  const { world, h, s } = joined({ host: { limits: { ...LIMITS, calls: 10, callsBurst: 20 } } })
  h.heard()
  const ops = Array.from({ length: 40 }, (_, i) => s.sendRpcToHost(`c${i}`, 0, null))
  assert.equal(h.heard().length, 18)
  assert.equal(ops[0].cancel(), false)
  assert.equal(ops[39].cancel(), true)
  s.update(0)
  assert.equal(ops[39].error, 'cancelled')
  world.pass(1000)
  const second = h.heard().map((f) => f.name)
  assert.ok(second.length >= 9 && second.length <= 11, `${second.length}`)
  assert.equal(second[0], 'c18')
  world.pass(1500)
  assert.equal(h.heard().pop().name, 'c38')
})

test('sendRpcToHost: more under way than the host allows is queue_full', () => {
  const { s } = joined({ host: { limits: { ...LIMITS, callsInFlight: 3 } } })
  const ops = Array.from({ length: 4 }, () => s.sendRpcToHost('x', 0, null))
  s.update(0)
  assert.deepEqual(ops.map((o) => o.state), ['pending', 'pending', 'pending', 'succeeded'])
  assert.equal(ops[3].result.status, 'queue_full')
})

test('onRpc: handlers answer with values, promises, nothing; throws are handler_threw and the session goes on', async () => {
  const { world, h, s } = joined({ entities: [{ target: 22, fields: {} }] })
  const { context } = s
  const got = []
  context.onRpc('sync', (data, from, id) => { got.push([data.readString(), from, id]); return args('re') })
  context.onRpc('async', async () => new Uint8Array([1]))
  context.onRpc('nothing', () => {})
  context.onRpc('throws', () => { throw new Error('mine') })
  context.onRpc('rejects', async () => { throw new Error('mine') })
  context.onRpc('big', () => new Uint8Array(65537))
  context.onRpc('wrong', () => 'text')
  const off = context.onRpc('off', () => {})
  off()
  h.heard()
  const list = ['sync', 'async', 'nothing', 'throws', 'rejects', 'big', 'wrong', 'off', 'toString']
  list.forEach((name, i) => h.rpc(i + 1, 0, name, args('a').toUint8Array()))
  h.rpc(50, 5, 'sync', args('b').toUint8Array())
  h.rpc(51, 6, 'sync', args('c').toUint8Array())
  h.rpc(0, 0, 'nothing')
  assert.deepEqual(got, [], 'in update')
  s.update(0)
  await settle()
  const results = Object.fromEntries(h.heard().map((f) => [f.call, [f.status, Buffer.from(f.value).toString('hex')]]))
  assert.deepEqual(results, {
    1: [0, '027265'], 2: [0, '01'], 3: [0, ''], 4: [2, ''], 5: [2, ''], 6: [8, ''], 7: [2, ''], 8: [1, ''], 9: [1, ''], 50: [0, '027265'], 51: [3, '']
  })
  assert.deepEqual(got, [['a', 1, 0], ['b', 1, 5]])
  assert.equal(world.lines.length, 3)
  assert.equal(s.isSessionActive, true)
})

test('onRpc: a call that the host passes on names its author and gets no answer', () => {
  const { h, s } = joined()
  const from = []
  s.context.onRpc('chat', (data, author) => { from.push(author) })
  h.heard()
  h.send(frameOf(T.relayed, { from: 3, object: 0, name: 'chat', args: new Uint8Array(0) }))
  s.update(0)
  assert.deepEqual(from, [3])
  assert.deepEqual(h.heard(), [])
})

test('onRpc: the answer to a call of the old connection is not sent on the new one', async () => {
  const { world, h, s } = joined()
  let answer
  s.context.onRpc('slow', () => new Promise((resolve) => { answer = resolve }))
  h.rpc(1, 0, 'slow')
  s.update(0)
  h.t.drop(1006)
  world.pass(0)
  const again = new FakeHost(world)
  again.challenge()
  again.take()
  again.send(again.welcomeFrame({ resumed: true }))
  again.snapshot(2, [])
  answer()
  await settle()
  assert.deepEqual(again.heard(), [])
})

test('a call from a handler of a call works', () => {
  const { h, s } = joined()
  s.context.onRpc('ping', () => { s.sendRpcToHost('pong', 0, null) })
  h.heard()
  h.rpc(1, 0, 'ping')
  s.update(0)
  assert.deepEqual(h.heard().map((f) => f.type), [T.rpc, T.result])
})

// The rest of the accessors

test('a client has no peers, no port and no authority', () => {
  const { s } = joined()
  assert.deepEqual([s.hostPort, s.isAuthority, s.peerCount, s.peers, s.mode, s.localRole], [0, false, 0, [], 'client', 'player'])
  const nobody = s.getPeerForConnection(1)
  assert.deepEqual([nobody.isValid, nobody.connectionId], [false, 0])
  assert.equal(Object.isFrozen(nobody), true)
  assert.equal(joined({ host: { id: 4 }, entities: [] }).s.context.playerState, null)
})

test('update: handlers that queue more do not starve the page, and update inside update does nothing', () => {
  const { h, s } = joined()
  let runs = 0
  s.onClientSceneLoadRequested.add((uuid, name, seamless, tid) => {
    runs++
    s.update(0)
    h.load(tid + 1)
  })
  h.load(1)
  s.update(0)
  assert.equal(runs, 1)
  for (const dt of [NaN, -1, 100, undefined]) s.update(dt)
  assert.equal(runs, 5)
})

test('context keeps its identity for a session, and onRpc handlers end with it', () => {
  const { h, s } = joined()
  const { context } = s
  assert.deepEqual([context.sessionId, context.projectId, context.buildHash], ['friday', 'skiff', '1.0'])
  s.update(0)
  assert.equal(s.context, context)
  h.bye('host_stopped')
  s.update(0)
  assert.equal(s.context, null)
})
