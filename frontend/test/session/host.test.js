// The session host's page against a launcher that is played here: docs/session-link.md.

import test from 'node:test'
import assert from 'node:assert/strict'
import { decode, encode } from '../../src/session/cbor.js'
import { DataStream } from '../../src/session/stream.js'
import { World, args, settle } from './world.js'

const LINK = { size: 1 << 25, nesting: 20, elements: 1 << 17 }

class FakeLauncher {
  read = 0
  constructor(world) { this.t = world.last }
  tell(...events) { this.t.receive(encode(events, LINK).slice().buffer) }
  open(kept = {}) {
    this.t.open()
    this.tell(['state', { entities: [], scene: null, peers: [], ...kept }])
  }

  /** Commands since the last call, without pings, when the page has had its turn. */
  async take() {
    await settle()
    const all = this.t.sent.slice(this.read).flatMap((m) => decode(m, LINK))
    this.read = this.t.sent.length
    return all.filter(([name]) => name !== 'ping').map((c) => c.map(plain))
  }
}

/** Encoded values are told apart by being arrays of one value. */
const plain = (v) => v instanceof Uint8Array ? Buffer.from(v).toString('hex') : Array.isArray(v) ? v.map(plain) : v
const hex = (v) => Buffer.from(encode(v)).toString('hex')

const peer = (id, changes = {}) => ({
  id, state: 'connected', role: 'player', name: `p${id}`, kind: 'browser', joinedAt: 5, rtt: 1.5, jitter: 0.5, transition: 0,
  address: '192.168.1.9', userData: new Uint8Array([1]), bytesIn: 1, bytesOut: 2, queued: 3, dropped: 4, ...changes
})

function hosting({ world = new World(), kept, peers = [] } = {}) {
  const m = world.manager()
  assert.equal(m.s.startHost('skiff', 'friday', '1.0'), true)
  const l = new FakeLauncher(world)
  l.open(kept)
  for (const id of peers) l.tell(['connected', peer(id), []])
  m.s.update(0)
  if (!kept) m.take()
  return { world, l, ...m }
}

test('startHost: true at once, with port, mode and clock; onSessionStarted in an update', () => {
  const world = new World()
  const m = world.manager()
  assert.equal(m.s.startHost('skiff', 'friday', '1.0'), true)
  assert.deepEqual(world.hostStarts, [{ projectId: 'skiff', sessionId: 'friday', buildHash: '1.0', port: null }])
  const { s } = m
  assert.deepEqual([s.isSessionActive, s.isAuthority, s.mode, s.localRole, s.localConnectionId, s.hostPort, s.sessionId, s.joinCode],
    [true, true, 'host', 'authority', 1, 24642, 'friday', 'K7M2QX'])
  assert.equal(s.serverTimeEpochMs, 1790000001000)
  world.pass(500)
  assert.equal(s.serverTimeEpochMs, 1790000001500)
  assert.notEqual(s.context, null)
  new FakeLauncher(world).open()
  assert.deepEqual(m.names(), [])
  s.update(0)
  assert.deepEqual(m.names(), ['onSessionStarted'])
})

test('startHost with a port and options', () => {
  for (const [port, want] of [[0, 0], [5000, 5000], [undefined, null]]) {
    const world = new World()
    world.manager().s.startHost('a', 'b', 'c', port, { password: 'x', maxPeers: 4, open: false, anyBuild: 1 })
    assert.deepEqual(world.hostStarts[0], { projectId: 'a', sessionId: 'b', buildHash: 'c', port: want, password: 'x', maxPeers: 4, open: false, anyBuild: true })
  }
})

test('startHost: false and lastError without an event, in every case that is nobody\'s mistake', () => {
  const world = new World()
  const m = world.manager()
  world.hostReply = { ...world.hostReply, ok: false, error: 'the player did not allow it' }
  assert.equal(m.s.startHost('a', 'b', 'c'), false)
  assert.equal(m.s.lastError, 'the player did not allow it')
  assert.deepEqual([m.s.mode, m.s.isAuthority, m.s.hostPort], ['none', false, 0])
  world.hostReply.ok = true
  assert.equal(m.s.startHost('a', 'b', 'c'), true)
  assert.equal(m.s.lastError, '')
  assert.equal(m.s.startHost('a', 'b', 'c'), false)
  assert.match(m.s.lastError, /active already/)
  assert.equal(m.s.joinSession({ projectId: 'a', buildHash: 'b' }, 'localhost'), false)
  const browser = new World({ noHost: true }).manager()
  assert.equal(browser.s.startHost('a', 'b', 'c'), false)
  assert.match(browser.s.lastError, /runs in Conch/)
  browser.s.update(0)
  assert.deepEqual(browser.names(), [])
})

test('startHost throws for misuse alone', () => {
  const { s } = new World().manager()
  for (const bad of [['', 'b', 'c'], ['a', '', 'c'], ['a', 'b', ''], ['a'.repeat(129), 'b', 'c'], ['a b', 'b', 'c'], [1, 'b', 'c'],
    ['a', 'b', 'c', -1], ['a', 'b', 'c', 65536], ['a', 'b', 'c', 1.5], ['a', 'b', 'c', '80']]) {
    assert.throws(() => s.startHost(...bad), TypeError, JSON.stringify(bad))
  }
})

// Peers

test('onHostPeerConnected: the peer is in peers, and its first snapshot waits for the handler', async () => {
  const { l, s, take } = hosting()
  await l.take()
  s.onHostPeerConnected.add((info) => s.context.playerStates.get(info.connectionId).set('hp', 10))
  l.tell(['connected', peer(2, { name: 'Zo\u202Eë' }), [['team', encode('red')]]])
  assert.equal(s.peerCount, 0)
  s.update(0)
  const [[name, info]] = take()
  assert.equal(name, 'onHostPeerConnected')
  assert.deepEqual([info.isValid, info.connectionId, info.playerName, info.clientKind, info.rttMs, info.remoteAddress, info.stats.queuedBytes],
    [true, 2, 'Zoë', 'browser', 1.5, '192.168.1.9', 3])
  assert.equal(Object.isFrozen(info), true)
  assert.equal(s.getPeerForConnection(2), info)
  assert.equal(s.peerCount, 1)
  assert.deepEqual(await l.take(), [['set', 9, 'hp', hex(10)], ['ready', 2]])
  assert.equal(s.context.playerStates.get(2).get('team'), 'red')
})

test('peers: a fresh array in the order of the ids; unknown ids are the empty value', () => {
  const { l, s } = hosting({ peers: [3, 2] })
  assert.deepEqual(s.peers.map((p) => p.connectionId), [2, 3])
  assert.notEqual(s.peers, s.peers)
  s.peers.length = 0
  assert.equal(s.peerCount, 2)
  for (const id of [0, 1, 9, 'x', NaN, undefined]) assert.deepEqual([s.getPeerForConnection(id).isValid, s.getPeerForConnection(id).connectionId], [false, 0])
  l.tell(['peers', [peer(2, { rtt: 9 }), peer(7)]])
  s.update(0)
  assert.deepEqual([s.getPeerForConnection(2).rttMs, s.peerCount], [9, 2])
})

test('onHostPeerDisconnected: once, the last info is still there, its objects are the host\'s or gone', async () => {
  const { l, s, take } = hosting({ peers: [2] })
  const stays = s.context.spawn('boat', {}, { owner: 2 })
  s.context.spawn('hat', {}, { owner: 2, despawnWithOwner: true })
  await l.take()
  const seen = []
  s.onHostPeerDisconnected.add((id) => {
    seen.push(s.getPeerForConnection(id).state, s.getPeerForConnection(id).playerName, s.peerCount, s.context.objects.size, stays.owner,
      s.context.playerStates.has(id))
  })
  l.tell(['disconnected', peer(2), 'connection_lost'])
  s.update(0)
  assert.deepEqual(take(), [['onHostPeerDisconnected', 2, 'connection_lost']])
  assert.deepEqual(seen, ['gone', 'p2', 0, 1, 1, true])
  assert.equal(s.getPeerForConnection(2).isValid, false)
  assert.equal(s.context.playerStates.has(2), false)
  assert.deepEqual(await l.take(), [['owner', 1, 1], ['despawn', 2]])
})

test('onHostPeerDropped and onHostPeerResumed', () => {
  const { l, s, take } = hosting({ peers: [2] })
  l.tell(['dropped', peer(2, { state: 'reconnecting' })], ['resumed', peer(2)], ['dropped', peer(9)])
  s.update(0)
  assert.deepEqual(take(), [['onHostPeerDropped', 2], ['onHostPeerResumed', 2]])
  assert.equal(s.peerCount, 1)
})

test('disconnectPeer: told with its reason; the host itself and clients throw; unknown ids do nothing', async () => {
  const { l, s } = hosting({ peers: [2] })
  await l.take()
  s.disconnectPeer(2, 'be nice ' + 'x'.repeat(600))
  s.disconnectPeer(9, 'x')
  const [[name, id, reason], ...more] = await l.take()
  assert.deepEqual([name, id, reason.length, more.length], ['kick', 2, 512, 0])
  assert.throws(() => s.disconnectPeer(1, 'x'), TypeError)
  assert.throws(() => new World().manager().s.disconnectPeer(2, 'x'), /only the session host/)
})

// Approval

const ask = (n, changes = {}) => ['approve', n, { build: '1.0', buildMatches: true, name: 'Zoë', kind: 'browser', spectator: false, userData: new Uint8Array([7]), address: '10.0.0.9', ...changes }]

test('connectionApprovalCallback: every kind of answer', async () => {
  const cases = [
    [null, [true, '', '', []]], [() => true, [true, '', '', []]], [() => false, [false, '', '', []]], [async () => true, [true, '', '', []]],
    [() => ({ approved: true, role: 'spectator' }), [true, '', 'spectator', []]],
    [() => ({ approved: false, reason: 'no bots' }), [false, 'no bots', '', []]],
    [() => ({ approved: true, playerState: { hp: 5 } }), [true, '', '', [['hp', hex(5)]]]],
    [() => ({ approved: true, role: 'king' }), [true, '', '', []]],
    // what is no decision refuses
    [() => undefined, [false, '', '', []]], [() => null, [false, '', '', []]], [() => 1, [false, '', '', []]], [() => 'yes', [false, '', '', []]],
    [() => ({}), [false, '', '', []]], [() => ({ approved: 1 }), [false, '', '', []]],
    // and a throw is an error
    [() => { throw new Error('mine') }, [null, '', '', []]], [async () => { throw new Error('mine') }, [null, '', '', []]],
    [() => ({ approved: true, playerState: { f: () => 1 } }), [null, '', '', []]]
  ]
  const { l, s } = hosting()
  await l.take()
  for (const [i, [callback, want]] of cases.entries()) {
    s.connectionApprovalCallback = callback
    l.tell(ask(i))
    s.update(0)
    assert.deepEqual(await l.take(), [['decide', i, ...want]], `case ${i}`)
  }
  assert.throws(() => { s.connectionApprovalCallback = 5 }, TypeError)
})

test('connectionApprovalCallback: what it is asked', () => {
  const { l, s } = hosting()
  let request
  s.connectionApprovalCallback = (r) => { request = r; return true }
  l.tell(ask(4, { build: '0.9', buildMatches: false }))
  s.update(0)
  const { signal, userData, ...rest } = request
  assert.deepEqual(rest, { projectId: 'skiff', buildHash: '0.9', sessionId: 'friday', playerName: 'Zoë', asSpectator: false,
    provisionalConnectionId: 4, remoteAddress: '10.0.0.9', clientKind: 'browser', buildMatches: false })
  assert.deepEqual([signal.aborted, [...userData], Object.isFrozen(request)], [false, [7], true])
})

test('connectionApprovalCallback: the client left or the time is over: aborted, and the answer changes nothing (Colyseus#633, NGO#2343)', async () => {
  const { world, l, s, take } = hosting()
  await l.take()
  let answer
  let signal
  s.connectionApprovalCallback = (r) => { signal = r.signal; return new Promise((resolve) => { answer = resolve }) }
  l.tell(ask(1))
  s.update(0)
  l.tell(['forget', 1])
  assert.equal(signal.aborted, true)
  answer(true)
  assert.deepEqual(await l.take(), [])
  assert.deepEqual(take(), [])
  assert.deepEqual(world.lines, [])
})

test('connectionApprovalCallback: with frames it runs in update; a page without frames decides when it is asked', async () => {
  const { world, l, s } = hosting()
  await l.take()
  let asked = 0
  s.connectionApprovalCallback = () => { asked++; return true }
  world.pass(100)
  l.tell(ask(1))
  assert.equal(asked, 0)
  s.update(0)
  assert.equal(asked, 1)
  world.pass(600)
  l.tell(ask(2), ['connected', peer(2), []])
  assert.equal(asked, 2)
  assert.equal(s.peerCount, 0, 'nothing else runs')
  assert.deepEqual((await l.take()).map((c) => c.slice(0, 2)), [['decide', 1], ['decide', 2]])
})

test('connectionApprovalCallback: a change affects what was not yet asked', () => {
  const { l, s } = hosting()
  const by = []
  s.connectionApprovalCallback = () => by.push('old')
  l.tell(ask(1))
  s.connectionApprovalCallback = () => by.push('new')
  s.update(0)
  assert.deepEqual(by, ['new'])
})

// Scenes

test('hostLoadScene: load, barrier, activation, completion, in the order of the seed', async () => {
  const { l, s, take } = hosting({ peers: [2, 3] })
  await l.take()
  let loaded
  s.context.sceneLoader = (scene, seamless) => new Promise((resolve) => { loaded = () => resolve({ root: scene.name, seamless }) })
  const scene = { uuid: 'u1', name: 'harbour' }
  s.hostLoadScene(scene, true)
  assert.deepEqual(await l.take(), [['scene', 'u1', 'harbour', true]])
  l.tell(['load', 1, 'u1', 'harbour', true, false], ['sceneLoaded', peer(3, { state: 'loaded' }), 1])
  s.update(0)
  await settle()
  assert.deepEqual(take(), [['onHostPeerSceneLoadComplete', 3]], 'a client may be faster than the host')
  assert.equal(s.getPeerForConnection(3).state, 'loaded')
  loaded()
  assert.deepEqual(await l.take(), [['loaded', 1, true, '']])
  assert.equal(s.activeScene, null)
  const active = []
  s.onHostPeerActivatedInScene.add(() => active.push(s.activeScene && s.activeScene.root))
  l.tell(['sceneLoaded', peer(2), 1], ['activated', peer(2), 1], ['activated', peer(3), 1], ['complete', 1])
  s.update(0)
  assert.deepEqual(take(), [['onHostPeerSceneLoadComplete', 2], ['onHostPeerActivatedInScene', 2], ['onHostPeerActivatedInScene', 3], ['onHostSceneTransitionComplete', 1]])
  assert.deepEqual(active, ['harbour', 'harbour'])
  assert.deepEqual([s.activeScene.transitionId, s.activeScene.scene.uuid, s.activeScene.seamless], [1, 'u1', true])
})

test('hostLoadScene: without a loader, with nobody there, and from the handler of the last one (NGO#1942)', async () => {
  const { l, s, names } = hosting()
  await l.take()
  s.onHostSceneTransitionComplete.once(() => s.hostLoadScene({ uuid: 'u2', name: 'b' }))
  s.hostLoadScene({ uuid: 'u1', name: 'a' })
  l.tell(['load', 1, 'u1', 'a', false, false])
  s.update(0)
  assert.deepEqual(await l.take(), [['scene', 'u1', 'a', false], ['loaded', 1, true, '']])
  l.tell(['complete', 1])
  s.update(0)
  assert.deepEqual(await l.take(), [['scene', 'u2', 'b', false]])
  assert.deepEqual(names(), ['onHostSceneTransitionComplete'])
  assert.equal(s.activeScene, null, 'a transition that keeps nothing')
})

test('hostLoadScene: a handle is loaded first, a failure aborts, and the scene before comes back', async () => {
  const { world, l, s, take } = hosting()
  await l.take()
  const got = []
  s.context.sceneLoader = (scene) => { got.push(scene.name); return {} }
  const handle = { uuid: 'u1', name: 'h', type: 'Scene', loaded: false, load: async () => ({ uuid: 'u1', name: 'real' }) }
  s.hostLoadScene(handle)
  l.tell(['load', 1, 'u1', 'h', false, false])
  s.update(0)
  await l.take()
  assert.deepEqual(got, ['real'])
  l.tell(['complete', 1])
  s.update(0)
  take()
  s.hostLoadScene({ uuid: 'u2', name: 'broken', load: async () => { throw new Error('no such file') } })
  const late = s.context.spawn('boat', {})
  l.tell(['load', 2, 'u2', 'broken', false, false])
  s.update(0)
  assert.deepEqual((await l.take()).filter(([name]) => name === 'loaded'), [['loaded', 2, false, 'no such file']])
  l.tell(['aborted', 2, 'no such file'], ['load', 3, 'u1', 'h', false, true])
  s.update(0)
  assert.deepEqual(take(), [['onHostTransitionAborted', 2, 'no such file']])
  assert.equal(s.context.objects.size, 0)
  assert.deepEqual(await l.take(), [['despawn', late.netObjectId], ['loaded', 3, true, '']])
  assert.equal(world.lines.length, 1)
})

test('hostLoadScene: a transition that is superseded reports nothing and is not shown', async () => {
  const { l, s } = hosting()
  await l.take()
  const loads = []
  s.context.sceneLoader = (scene) => new Promise((resolve) => loads.push(() => resolve({ root: scene.name })))
  s.hostLoadScene({ uuid: 'u1', name: 'a' })
  s.hostLoadScene({ uuid: 'u2', name: 'b' })
  l.tell(['load', 1, 'u1', 'a', false, false], ['load', 2, 'u2', 'b', false, false])
  s.update(0)
  await settle()
  for (const load of loads) load()
  assert.deepEqual((await l.take()).filter(([name]) => name === 'loaded'), [['loaded', 2, true, '']])
  l.tell(['complete', 1], ['complete', 2])
  s.update(0)
  assert.equal(s.activeScene.root, 'b')
})

test('hostLoadScene: objects go with it, persistent ones stay with a seamless one; states stay', async () => {
  const { l, s } = hosting({ peers: [2] })
  const { context } = s
  context.gameState.set('round', 1)
  context.playerStates.get(2).set('hp', 1)
  context.spawn('boat', {})
  const kept = context.spawn('flag', { at: 1 }, { persistent: true })
  s.hostLoadScene({ uuid: 'u', name: 'n' }, true)
  assert.deepEqual([...context.objects.keys()], [2])
  assert.equal(context.objects.get(2), kept)
  const next = context.spawn('boat', {})
  assert.equal(next.netObjectId, 3, 'numbers are never used again')
  s.hostLoadScene({ uuid: 'u', name: 'n' })
  assert.equal(context.objects.size, 0)
  assert.deepEqual([context.gameState.get('round'), context.playerStates.get(2).get('hp')], [1, 1])
  const commands = await l.take()
  assert.deepEqual(commands.filter(([name]) => name === 'despawn'), [], 'the host drops them itself')
})

test('hostLoadScene throws where it is misused', () => {
  const { s } = hosting()
  for (const scene of [null, undefined, {}, { uuid: '' }, { uuid: 5 }, 'u', { uuid: 'x'.repeat(129) }]) assert.throws(() => s.hostLoadScene(scene), TypeError)
  assert.throws(() => new World().manager().s.hostLoadScene({ uuid: 'u', name: 'n' }), /only the session host/)
})

// State

test('context: writes are here at once and told once, in order, with calls', async () => {
  const { l, s } = hosting({ peers: [2] })
  await l.take()
  const { context } = s
  const value = { x: 1 }
  context.gameState.set('pos', value)
  value.x = 9
  assert.equal(context.gameState.get('pos.x'), 1, 'a copy')
  context.gameState.set('pos.y', 2)
  const boat = context.spawn('boat', { hp: 3, seat: null }, { owner: 2, persistent: true })
  s.sendRpcToConnection('look', boat.netObjectId, null, 2)
  context.setOwner(boat.netObjectId, 1)
  boat.set('hp', undefined)
  context.despawn(boat.netObjectId)
  context.despawn(boat.netObjectId)
  boat.set('hp', 1)
  assert.deepEqual(await l.take(), [['set', 0, 'pos', hex({ x: 1 })], ['set', 0, 'pos', hex({ x: 1, y: 2 })],
    ['spawn', 1, 'boat', 2, true, false, false, [['hp', hex(3)], ['seat', hex(null)]]], ['call', 1, 'look', 1, '', [2]], ['owner', 1, 1],
    ['set', 6, 'hp', null], ['despawn', 1]])
  assert.equal(l.t.sent.length, 3, 'one message for one turn of the page')
})

test('context: paths into lists and objects', () => {
  const { s } = hosting()
  const { gameState } = s.context
  gameState.set('list', [1, { a: 2 }])
  gameState.set('list.1.a', 3)
  gameState.set('list.2', 'end')
  assert.deepEqual(gameState.get('list'), [1, { a: 3 }, 'end'])
  gameState.set('list.0', undefined)
  assert.deepEqual(gameState.get('list'), [{ a: 3 }, 'end'])
  gameState.set('list.0.b.c', 1)
  assert.deepEqual(gameState.get('list.0'), { a: 3, b: { c: 1 } })
  assert.throws(() => gameState.set('list.9', 1), TypeError)
  assert.throws(() => gameState.set('list.1.x', 1), TypeError)
  gameState.set('flat.name', 1)
  assert.deepEqual(gameState.names(), ['list', 'flat.name'])
  gameState.set('list.0.__proto__', { evil: 1 })
  assert.equal(gameState.get('list.0.evil'), undefined)
  assert.equal({}.evil, undefined)
})

test('context: what is refused is refused before anything is told', async () => {
  const { l, s } = hosting()
  await l.take()
  const { context } = s
  const bad = [() => context.spawn('', {}), () => context.spawn('b', { f() {} }), () => context.spawn('b', {}, { owner: 9 }), () => context.setOwner(5, 1),
    () => context.gameState.set('', 1), () => context.gameState.set('x'.repeat(129), 1), () => context.gameState.set('f', () => 1),
    () => context.gameState.set('big', 'x'.repeat(70000)), () => context.onRpc('', () => {}), () => context.onRpc('x', 5)]
  for (const run of bad) assert.throws(run, (e) => e instanceof TypeError || e instanceof RangeError, `${run}`)
  assert.deepEqual(await l.take(), [])
  assert.equal(context.spawn('boat', {}).netObjectId, 1)
})

test('context: after the end reads give the last values and writes throw', async () => {
  const { l, s } = hosting()
  const { context } = s
  context.gameState.set('a', 1)
  s.stop()
  assert.equal(context.gameState.get('a'), 1)
  for (const run of [() => context.gameState.set('a', 2), () => context.spawn('b', {}), () => context.despawn(1)]) assert.throws(run, Error)
  assert.equal(s.context, null)
  l.tell(['stopped', 'local_stop'])
})

test('a page that was loaded again finds its session as it was', () => {
  const raw = (o) => Object.entries(o).map(([k, v]) => [k, encode(v)])
  const { s, names, take } = hosting({
    kept: {
      entities: [[0, raw({ round: 4 }), '', 0, false, false], [9, raw({ hp: 2 }), '', 0, false, false], [22, raw({ x: 1 }), 'boat', 2, true, true]],
      scene: [7, 'u7', 'harbour'], peers: [peer(2)]
    }
  })
  assert.deepEqual(names(), ['onSessionStarted', 'onHostPeerConnected'])
  const { context } = s
  assert.deepEqual([context.gameState.get('round'), context.playerStates.get(2).get('hp'), context.objects.get(5).get('x')], [4, 2, 1])
  assert.deepEqual([s.activeScene.transitionId, s.activeScene.scene.name, s.peerCount], [7, 'harbour', 1])
  assert.equal(context.spawn('boat', {}).netObjectId, 6)
  take()
})

test('restart-resume: what the page wrote before the old state came is newer', () => {
  const world = new World()
  const { s } = world.manager()
  s.startHost('a', 'b', 'c')
  s.context.gameState.set('round', 9)
  const l = new FakeLauncher(world)
  l.open({ entities: [[0, [['round', encode(4)], ['map', encode('x')]], '', 0, false, false]] })
  s.update(0)
  assert.deepEqual([s.context.gameState.get('round'), s.context.gameState.get('map')], [9, 'x'])
})

// Calls

test('sendRpcToConnection: the outcome of the other side', async () => {
  const { l, s } = hosting({ peers: [2] })
  await l.take()
  const op = s.sendRpcToConnection('hit', 0, args('a'), 2)
  const [[name, id]] = await l.take()
  assert.equal(name, 'call')
  l.tell(['result', id, 2, 'ok', new Uint8Array([5])])
  s.update(0)
  assert.deepEqual([op.result.status, op.result.connectionId, op.result.value.readU8()], ['ok', 2, 5])
  const failed = s.sendRpcToConnection('hit', 0, null, 2)
  l.tell(['failed', (await l.take())[0][1], 'cancelled'])
  s.update(0)
  assert.equal(failed.error, 'cancelled')
})

test('sendRpcToConnection: peers that are not there, objects that are not there, too much', async () => {
  const { l, s } = hosting({ peers: [2] })
  await l.take()
  const ops = [s.sendRpcToConnection('x', 0, null, 9), s.sendRpcToConnection('x', 7, null, 2), s.sendRpcToConnection('x', 0, new Uint8Array(70000), 2)]
  s.update(0)
  assert.deepEqual(ops.map((op) => op.result.status), ['peer_gone', 'no_object', 'too_large'])
  assert.deepEqual(await l.take(), [])
  assert.throws(() => s.sendRpcToConnection('x', 0, null, -1), TypeError)
})

test('sendRpcToConnection to the host itself runs here, in the next update', async () => {
  const { l, s } = hosting()
  const boat = s.context.spawn('boat', {})
  await l.take()
  const from = []
  s.context.onRpc('self', (data, who) => { from.push(who); return data })
  const ops = [s.sendRpcToConnection('self', 0, args('x'), 1), s.sendRpcToConnection('self', boat.netObjectId, null, 1), s.sendRpcToConnection('none', 0, null, 1)]
  assert.deepEqual(from, [])
  s.update(0)
  s.update(0)
  assert.deepEqual(from, [1, 1])
  assert.deepEqual(ops.map((op) => op.result.status), ['ok', 'ok', 'no_handler'])
  assert.equal(ops[0].result.value.readString(), 'x')
  assert.deepEqual(await l.take(), [])
})

test('sendRpcToOwner: to the owner, to the host, and no_owner without a word to anybody', async () => {
  const { l, s } = hosting({ peers: [2] })
  const theirs = s.context.spawn('a', {}, { owner: 2 })
  const ours = s.context.spawn('b', {}, { owner: 1 })
  const nobodys = s.context.spawn('c', {})
  await l.take()
  s.context.onRpc('x', () => {})
  const ops = [theirs, ours, nobodys].map((o) => s.sendRpcToOwner('x', o.netObjectId, null))
  const none = s.sendRpcToOwner('x', 99, null)
  assert.deepEqual((await l.take()).map((c) => c.slice(0, 1).concat(c[5])), [['call', 2]])
  s.update(0)
  s.update(0)
  assert.deepEqual([ops[0].state, ops[1].result.status, ops[2].error, none.error], ['pending', 'ok', 'no_owner', 'no_object'])
})

test('sendRpcMulticast: one result per connection, in order, without repetitions; failures of some do not fail it', async () => {
  const { l, s } = hosting({ peers: [2, 3] })
  await l.take()
  s.context.onRpc('x', () => {})
  const op = s.sendRpcMulticast('x', 0, null, [3, 1, 3, 9, 2])
  const [[, id, , , , far]] = await l.take()
  assert.deepEqual(far, [3, 2])
  l.tell(['result', id, 2, 'timeout', new Uint8Array(0)])
  s.update(0)
  s.update(0)
  assert.equal(op.state, 'pending')
  l.tell(['result', id, 3, 'ok', new Uint8Array(0)])
  s.update(0)
  assert.deepEqual(op.result.map((r) => [r.connectionId, r.status]), [[3, 'ok'], [1, 'ok'], [9, 'peer_gone'], [2, 'timeout']])
  const empty = s.sendRpcMulticast('x', 0, null, [])
  s.update(0)
  assert.deepEqual(empty.result, [])
  assert.throws(() => s.sendRpcMulticast('x', 0, null, 2), TypeError)
})

test('sendRpcToHost on the host fails, and a call that has not left can be cancelled', async () => {
  const { l, s } = hosting({ peers: [2] })
  await l.take()
  const op = s.sendRpcToHost('x', 0, null)
  const mine = s.sendRpcToConnection('x', 0, null, 2)
  assert.equal(mine.cancel(), true)
  const gone = s.sendRpcToConnection('y', 0, null, 2)
  assert.deepEqual((await l.take()).map((c) => c[2]), ['y'])
  assert.equal(gone.cancel(), false)
  s.update(0)
  assert.deepEqual([op.error, mine.error, gone.state], ['not_client', 'cancelled', 'pending'])
})

test('calls from peers: owner rules, handlers for anyone, replies', async () => {
  const { l, s } = hosting({ peers: [2, 3] })
  const boat = s.context.spawn('boat', {}, { owner: 2 })
  s.context.onRpc('steer', (data, from, id) => args(`${from} ${id}`))
  s.context.onRpc('wave', () => {}, { anyone: true })
  await l.take()
  const id = boat.netObjectId
  const empty = new Uint8Array(0)
  l.tell(['call', 1, 2, 'steer', id, empty, true], ['call', 2, 3, 'steer', id, empty, true], ['call', 3, 3, 'wave', id, empty, true],
    ['call', 4, 3, 'steer', 0, empty, true], ['call', 5, 3, 'steer', 99, empty, true], ['call', 6, 3, 'none', id, empty, true], ['call', 7, 2, 'steer', id, empty, false])
  s.update(0)
  assert.deepEqual((await l.take()).map(([, call, status]) => [call, status]),
    [[1, 'ok'], [2, 'not_owner'], [3, 'ok'], [4, 'ok'], [5, 'no_object'], [6, 'no_handler']])
})

test('calls from peers are refused while the page does not update', async () => {
  const { l, s } = hosting({ peers: [2] })
  s.context.onRpc('x', () => {})
  await l.take()
  for (let i = 0; i < 41; i++) l.tell(...Array.from({ length: 100 }, (_, n) => ['call', i * 100 + n + 1, 2, 'x', 0, new Uint8Array(0), true]))
  const refused = await l.take()
  assert.deepEqual([refused.length, refused[0].slice(0, 3)], [4, ['reply', 4097, 'queue_full']])
})

// The end

test('stop: told, waits for the launcher, then a disconnect for each and the end', async () => {
  const { l, s, take } = hosting({ peers: [3, 2] })
  await l.take()
  const op = s.sendRpcToConnection('x', 0, null, 2)
  l.tell(['complete', 1])
  s.stop()
  s.stop()
  assert.deepEqual((await l.take()).map(([name]) => name), ['call', 'stop'])
  assert.deepEqual([s.isSessionActive, s.isAuthority, s.hostPort, s.localConnectionId], [false, true, 0, 0])
  s.update(0)
  assert.deepEqual(take(), [], 'the port is free when it is told')
  assert.equal(s.startHost('a', 'b', 'c'), false)
  l.tell(['connected', peer(4), []], ['stopped', 'local_stop'])
  s.update(0)
  assert.deepEqual(take(), [['onHostPeerDisconnected', 3, 'host_stopped'], ['onHostPeerDisconnected', 2, 'host_stopped'], ['onSessionStopped', 'local_stop']].sort())
  assert.equal(op.error, 'local_stop')
  assert.deepEqual([s.mode, s.isAuthority], ['none', false])
  assert.equal(s.startHost('a', 'b', 'c'), true)
})

test('stop: a launcher that says nothing more, a link that breaks, a launcher that stops by itself', () => {
  const silent = hosting()
  silent.s.stop()
  silent.world.pass(2000)
  silent.s.update(0)
  assert.deepEqual(silent.take(), [['onSessionStopped', 'local_stop']])
  assert.equal(silent.world.timers.length, 0)
  assert.equal(silent.world.wakers.size, 0)
  const broken = hosting({ peers: [2] })
  broken.l.t.drop(1006)
  broken.s.update(0)
  assert.deepEqual(broken.take(), [['onHostPeerDisconnected', 2, 'host_stopped'], ['onSessionStopped', 'connection_lost']])
  const stopped = hosting()
  stopped.l.tell(['stopped', 'host_script_gone'])
  stopped.s.update(0)
  assert.deepEqual(stopped.take(), [['onSessionStopped', 'host_script_gone']])
})

test('what was queued before the link broke is still told', () => {
  const { l, s, take } = hosting({ peers: [2, 3] })
  s.context.spawn('boat', {}, { owner: 2 })
  s.context.spawn('hat', {}, { owner: 2, despawnWithOwner: true })
  l.tell(['disconnected', peer(7), 'left'], ['disconnected', peer(2), 'left'], ['load', 3, 'u', 'n', false, true])
  l.t.drop(1006)
  s.update(0)
  assert.deepEqual(take(), [['onHostPeerDisconnected', 2, 'left'], ['onHostPeerDisconnected', 3, 'host_stopped'], ['onSessionStopped', 'connection_lost']])
})

test('stop in the handler of a join request or a peer', async () => {
  const { l, s, take } = hosting()
  let signal
  s.connectionApprovalCallback = (r) => { signal = r.signal; return new Promise(() => {}) }
  l.tell(ask(1), ['connected', peer(2), []], ['connected', peer(3), []])
  s.onHostPeerConnected.add(() => s.stop())
  s.update(0)
  l.tell(['stopped', 'local_stop'])
  assert.equal(signal.aborted, true)
  s.update(0)
  assert.deepEqual(take().map((e) => e.slice(0, 1).concat(typeof e[1] === 'object' ? e[1].connectionId : e[1])),
    [['onHostPeerConnected', 2], ['onHostPeerDisconnected', 2], ['onSessionStopped', 'local_stop']])
})

test('what the launcher says is checked for its form', () => {
  const { world, l, s, take } = hosting()
  l.t.receive(new Uint8Array([255]).buffer)
  s.update(0)
  assert.deepEqual(take(), [['onSessionStopped', 'protocol_error']])
  assert.equal(world.lines.length, 1)
  const later = hosting()
  later.l.tell(['something new', 1])
  later.s.update(0)
  assert.equal(later.s.isSessionActive, true)
})

test('the host clock follows the launcher\'s', () => {
  const { world, l, s } = hosting()
  world.pass(400)
  const pings = l.t.sent.flatMap((m) => decode(m, LINK)).filter(([name]) => name === 'ping')
  for (const [, seq, t0] of pings) l.tell(['pong', seq, t0, 1790000002000000, 1790000002000000])
  world.pass(10000)
  assert.ok(Math.abs(s.serverTimeEpochMs - 1790000001000 - 10400) < 1000)
})

test('hostAddresses: none before the player let people in, then what the launcher says, and none at the end', () => {
  const { l, s } = hosting()
  assert.deepEqual(s.hostAddresses, [])
  l.tell(['addresses', ['192.168.1.20:24642']])
  s.update(0)
  assert.deepEqual(s.hostAddresses, ['192.168.1.20:24642'])
  assert.notEqual(s.hostAddresses, s.hostAddresses)
  s.stop()
  assert.deepEqual(s.hostAddresses, [])
})
