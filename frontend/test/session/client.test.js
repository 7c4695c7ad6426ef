import test from 'node:test'
import assert from 'node:assert/strict'
import { T, frameOf, parse } from '../../src/session/wire.js'
import { DataStream } from '../../src/session/stream.js'
import { FakeHost, LIMITS, REQUEST, World, args, joined, settle } from './world.js'

const dialled = (request = {}, address = '192.168.1.20', world = new World()) => {
  const m = world.manager()
  const started = m.s.joinSession({ ...REQUEST, ...request }, address)
  return { world, started, ...m }
}
const failure = ({ s, take }) => { s.update(0); return take().map(([name, reason]) => `${name} ${reason}`) }

// joinSession and the handshake

test('joinSession: the first frame holds nothing that the game chose, and Auth comes after the host has shown itself', () => {
  const { world, started, s } = dialled({ playerName: 'Zoë', userData: new Uint8Array([1, 2]), asSpectator: true, sessionId: 'friday' })
  assert.equal(started, true)
  assert.equal(s.mode, 'client')
  assert.equal(s.isSessionActive, false, 'joining is not active')
  assert.deepEqual([world.last.address.text, world.last.projectId], ['192.168.1.20:24642', 'skiff'])
  const h = new FakeHost(world)
  h.challenge()
  assert.equal(h.helloOK, true)
  const [auth, ...more] = h.take()
  assert.equal(more.length, 0)
  assert.deepEqual([auth.build, auth.session, auth.name, auth.kind, auth.spectator, [...auth.userData]], ['1.0', 'friday', 'Zoë', 1, true, [1, 2]])
  assert.deepEqual([auth.proof.length, auth.resume.length, auth.loaded], [0, 0, 0])
})

test('joinSession: the state is readable in onSessionStarted, which comes before every replicated event', () => {
  const world = new World()
  const m = world.manager()
  m.s.joinSession(REQUEST, 'localhost')
  let seen
  m.s.onSessionStarted.add(() => {
    const { context } = m.s
    seen = [m.s.isSessionActive, m.s.localConnectionId, m.s.localRole, m.s.sessionId, context.gameState.get('phase'), context.playerState.get('score'),
      context.objects.has(5)]
  })
  new FakeHost(world).join([{ target: 0, fields: { phase: 'lobby' } }, { target: 9, fields: { score: 1 } }, { target: 22, fields: {} }])
  assert.deepEqual(m.names(), [])
  assert.equal(m.s.isSessionActive, false, 'not before update')
  m.s.update(0)
  assert.deepEqual(seen, [true, 2, 'player', 'friday', 'lobby', 1, true])
  assert.deepEqual(m.names(), ['onSessionStarted', 'onClientGameStateReplicated', 'onClientPlayerStateReplicated', 'onClientObjectReplicated'])
  assert.equal(m.calls[1][1], m.s.context.gameState)
  assert.equal(m.calls[2][1], m.s.context.playerState)
})

test('joinSession: the password is proved and never sent, and the host proves it too', async () => {
  const { world, s, names } = dialled({ password: 'secret ☂' })
  const h = new FakeHost(world, { need: 1, secret: 'secret ☂' })
  h.challenge()
  await settle()
  const [auth] = h.take()
  assert.deepEqual(Buffer.from(auth.proof), h.proof('join'))
  assert.equal(Buffer.concat(world.last.sent).includes('secret'), false)
  h.send(h.welcomeFrame())
  h.snapshot(1, [])
  s.update(0)
  assert.equal(names()[0], 'onSessionStarted')
})

test('joinSession: a host that does not know the password is not a host', async () => {
  const joining = dialled({ password: 'right' })
  const h = new FakeHost(joining.world, { need: 1, secret: 'wrong' })
  h.challenge()
  await settle()
  h.send(h.welcomeFrame())
  assert.deepEqual(failure(joining), ['onClientJoinFailed not_a_host'])
})

test('joinSession: a code is compared in capitals, without spaces and dashes, also from an invite', async () => {
  for (const [request, address] of [[{ joinCode: ' k7m-2qx' }, '192.168.1.20'], [{}, 'http://192.168.1.20:5000/j/k7m2qx']]) {
    const { world } = dialled(request, address)
    const h = new FakeHost(world, { need: 2, secret: 'K7M2QX' })
    h.challenge()
    await settle()
    assert.deepEqual(Buffer.from(h.take()[0].proof), h.proof('join'))
  }
  const { world } = dialled({ joinCode: 'o1iu' })
  const h = new FakeHost(world, { need: 2, secret: '0LLV' })
  h.challenge()
  await settle()
  assert.deepEqual(Buffer.from(h.take()[0].proof), h.proof('join'), 'what is often mistaken')
})

test('joinSession: without the password or code that is asked for nothing is tried', () => {
  for (const [need, reason] of [[1, 'bad_password'], [2, 'bad_code']]) {
    const joining = dialled()
    const h = new FakeHost(joining.world, { need, secret: 'x' })
    h.challenge()
    assert.deepEqual(failure(joining), [`onClientJoinFailed ${reason}`])
    assert.deepEqual(h.take(), [])
  }
})

test('joinSession: a host of another project, and what is no host, get nothing of the game', () => {
  const hosts = {
    'another project': (h) => { h.project = 'other'; h.challenge() },
    'an echo': (h) => { h.t.open(); h.t.receive(h.t.sent[0].buffer) },
    'a text': (h) => { h.t.open(); h.t.receive('hello') },
    'rubbish': (h) => { h.t.open(); h.t.receive(new Uint8Array([1, 2, 3]).buffer) },
    'a close': (h) => { h.t.open(); h.t.drop(1000) },
    'too many iterations': (h) => {
      h.t.open()
      const [hello] = h.take()
      h.send(frameOf(T.challenge, { version: 1, nonce: hello.nonce, project: h.digest('host', hello.nonce, hello.nonce), need: 1,
        salt: new Uint8Array(0), iterations: 1000001 }))
    },
    'a welcome at once': (h) => { h.t.open(); h.take(); h.send(h.welcomeFrame()) }
  }
  for (const [name, act] of Object.entries(hosts)) {
    const joining = dialled({ password: 'p' })
    const h = new FakeHost(joining.world)
    act(h)
    assert.deepEqual(failure(joining), ['onClientJoinFailed not_a_host'], name)
    assert.equal(h.t.sent.flatMap((m) => parse(m)).some((f) => f.type === T.auth), false, name)
  }
})

test('onClientJoinFailed says why: every refusal of a host', () => {
  const cases = [['wrong_project', '', 'wrong_project'], ['build_mismatch', 'host=2.0 you=1.0', 'build_mismatch: host=2.0 you=1.0'],
    ['bad_password', 'x', 'bad_password'], ['full', 'The session is full.', 'full'], ['refused', 'no\u202Ebots\n', 'refused: nobots'],
    ['approval_timeout', '', 'approval_timeout'], ['approval_error', '', 'approval_error'], ['host_stopping', '', 'host_stopping'],
    ['rate_limited', '', 'rate_limited'], ['wrong_session', '', 'wrong_session'], ['protocol_version', '', 'protocol_version'],
    ['something_new', 'because', 'refused: because']]
  for (const [code, text, want] of cases) {
    const joining = dialled()
    const h = new FakeHost(joining.world)
    h.challenge()
    h.reject(code, text)
    assert.deepEqual(failure(joining), [`onClientJoinFailed ${want}`])
    assert.equal(joining.s.mode, 'none')
    joining.world.pass(60000)
    assert.deepEqual(failure(joining), [], 'once')
  }
})

test('onClientJoinFailed: unreachable, a stopping host, and a page that may not connect', () => {
  let joining = dialled()
  joining.world.last.drop(1006)
  assert.deepEqual(failure(joining), ['onClientJoinFailed unreachable'])
  joining = dialled()
  new FakeHost(joining.world).challenge()
  joining.world.last.drop(4001)
  assert.deepEqual(failure(joining), ['onClientJoinFailed host_stopping'])
  joining = dialled({}, '192.168.1.20', new World({ blocked: true }))
  assert.equal(joining.started, true)
  assert.deepEqual(failure(joining), ['onClientJoinFailed unreachable'])
  assert.match(joining.s.lastError, /mixed content/)
})

test('joinSession: one deadline for dial, handshake and approval, and one more for the state', () => {
  const stages = [() => {}, (h) => h.t.open(), (h) => h.challenge(), (h) => { h.challenge(); h.send(h.welcomeFrame()) }]
  for (const [i, act] of stages.entries()) {
    const joining = dialled({ timeoutMs: 3000 })
    const h = new FakeHost(joining.world)
    joining.world.pass(2900)
    act(h)
    joining.world.pass(i === 3 ? 2999 : 99)
    assert.deepEqual(failure(joining), [], `stage ${i}`)
    joining.world.pass(1)
    assert.deepEqual(failure(joining), ['onClientJoinFailed timeout'], `stage ${i}`)
    assert.notEqual(h.t.closed, null)
  }
})

test('joinSession: approval that is refused or takes too long ends once (NGO#1928, #2343, #2534)', () => {
  const joining = dialled()
  const h = new FakeHost(joining.world)
  h.challenge()
  joining.world.pass(9000)
  assert.deepEqual(failure(joining), [])
  joining.world.pass(1000)
  assert.deepEqual(failure(joining), ['onClientJoinFailed timeout'])
  h.send(h.welcomeFrame())
  joining.world.pass(60000)
  assert.deepEqual(failure(joining), [])
  assert.equal(joining.world.lines.length, 0)
  assert.equal(joining.s.joinSession(REQUEST, 'localhost'), true, 'the next join works')
})

test('joinSession: false and lastError for an address, a place, or a session that is there already', () => {
  const { s } = new World().manager()
  assert.equal(s.joinSession(REQUEST, 'a b'), false)
  assert.match(s.lastError, /not the address of a host/)
  assert.equal(s.joinSession(REQUEST, '8.8.8.8'), false)
  assert.match(s.lastError, /Network > Allowed hosts/)
  assert.equal(s.joinSession(REQUEST, 'wss://play.example.net'), true)
  assert.equal(s.joinSession(REQUEST, 'localhost'), false)
  assert.match(s.lastError, /active already/)
})

test('joinSession throws for misuse alone', () => {
  const { s } = new World().manager()
  for (const request of [null, 'x', {}, { projectId: 'a' }, { projectId: '', buildHash: 'b' }, { projectId: 'a b', buildHash: 'b' },
    { ...REQUEST, userData: new Uint8Array(4097) }, { ...REQUEST, userData: 'text' }, { ...REQUEST, sessionId: 'x'.repeat(129) }]) {
    assert.throws(() => s.joinSession(request, 'localhost'), TypeError, JSON.stringify(request))
  }
  assert.equal(s.mode, 'none')
})

test('joinSession: names are cleaned and cut to 32 code points', () => {
  const { world } = dialled({ playerName: ' \u202EZo\u0000ë\n' + '🐚'.repeat(40) })
  const h = new FakeHost(world)
  h.challenge()
  assert.equal(h.take()[0].name, 'Zoë' + '🐚'.repeat(29))
})

test('stop while joining: cancelled, once, at every stage (NGO#2480, #2591)', () => {
  const stages = [() => {}, (h) => h.t.open(), (h) => h.challenge(), (h) => { h.challenge(); h.send(h.welcomeFrame()) }]
  for (const [i, act] of stages.entries()) {
    const joining = dialled()
    act(new FakeHost(joining.world))
    joining.s.stop()
    joining.s.stop()
    assert.deepEqual(failure(joining), ['onClientJoinFailed cancelled'], `stage ${i}`)
    joining.world.last.drop()
    joining.world.pass(60000)
    assert.deepEqual(failure(joining), [])
    assert.equal(joining.world.timers.length, 0)
    assert.equal(joining.world.wakers.size, 0)
  }
})

// The end of a session

test('stop: says goodbye, discards what waited, and ends with local_stop', () => {
  const { world, h, s, take } = joined()
  take()
  h.delta(1, 2, [[0, { phase: 'play' }]])
  h.load(1)
  s.stop()
  s.stop()
  assert.equal(s.isSessionActive, false)
  assert.deepEqual(h.heard().map((f) => [f.type, f.code]), [[T.bye, 'left']])
  assert.deepEqual(h.t.closed, [4000, 'left'])
  assert.equal(s.mode, 'client')
  s.update(0)
  assert.deepEqual(take(), [['onSessionStopped', 'local_stop']])
  assert.deepEqual([s.mode, s.localConnectionId, s.localRole, s.sessionId, s.context], ['none', 0, 'none', '', null])
  assert.equal(world.timers.length, 0)
  assert.equal(world.kept.size, 0, 'no seat is kept')
})

test('stop in a handler: nothing else is told but the end', () => {
  const world = new World()
  const m = world.manager()
  m.s.joinSession(REQUEST, 'localhost')
  m.s.onSessionStarted.add(() => m.s.stop())
  new FakeHost(world).join([{ target: 22, fields: {} }])
  m.s.update(0)
  m.s.update(0)
  assert.deepEqual(m.names(), ['onSessionStarted', 'onSessionStopped'])
})

test('onSessionStopped: every way in which a host ends it', () => {
  const cases = [['kicked', 'be nice', 'kicked: be nice'], ['host_stopped', '', 'host_stopped'], ['protocol_error', 'x', 'protocol_error'],
    ['rate_limited', '', 'rate_limited'], ['replaced', '', 'replaced'], ['scene_load_timeout', '', 'scene_load_timeout'],
    ['scene_load_failed', 'no file', 'scene_load_failed: no file'], ['left', '', 'host_stopped'], ['__proto__', '', 'connection_lost']]
  for (const [code, text, want] of cases) {
    const { world, h, s, take } = joined()
    take()
    h.bye(code, text)
    s.update(0)
    assert.deepEqual(take(), [['onSessionStopped', want]])
    world.pass(60000)
    s.update(0)
    assert.deepEqual(take(), [])
    assert.equal(world.dials.length, 1, 'no attempt to come back')
  }
})

test('onSessionStopped: closes without a Bye', () => {
  for (const [code, want] of [[4001, 'host_stopped'], [4002, 'protocol_error'], [4004, 'kicked'], [4009, 'replaced'], [1002, 'protocol_error'],
    [1000, 'connection_lost'], [1011, 'connection_lost']]) {
    const { h, s, take } = joined()
    take()
    h.t.drop(code)
    s.update(0)
    assert.deepEqual(take(), [['onSessionStopped', want]], `${code}`)
  }
})

test('onSessionStopped comes last, after all that was queued before', () => {
  const { h, s, take } = joined()
  take()
  h.delta(1, 2, [[0, { phase: 'play' }]])
  h.load(1)
  h.bye('host_stopped')
  s.update(0)
  assert.deepEqual(take().map(([name]) => name), ['onClientSceneLoadRequested', 'onSessionStopped'])
})

test('a new session in the handler of the end starts fresh', () => {
  const { world, h, s, take } = joined()
  take()
  const before = s.context
  s.onSessionStopped.once(() => s.joinSession(REQUEST, 'localhost'))
  h.bye('host_stopped')
  s.update(0)
  assert.equal(s.mode, 'client')
  new FakeHost(world, { id: 7 }).join([])
  s.update(0)
  assert.equal(s.localConnectionId, 7)
  assert.notEqual(s.context, before)
  assert.equal(before.gameState.get('phase'), 'lobby', 'the old one still tells the last values')
})

// A hostile host

test('malformed frames close with 4002 and end the session', () => {
  const cases = {
    'rubbish': (h) => h.t.receive(new Uint8Array([200, 0, 0]).buffer),
    'a text message': (h) => h.t.receive('hi'),
    'an empty message': (h) => h.t.receive(new ArrayBuffer(0)),
    'a message too long': (h) => h.t.receive(new ArrayBuffer((512 << 10) + 1)),
    'a frame that clients send': (h) => h.send(frameOf(T.loaded, { transition: 1, ok: true, text: '' })),
    'a second welcome': (h) => h.send(h.welcomeFrame()),
    'a name that is not in the table': (h) => h.send(frameOf(T.delta, { prev: 1, seq: 2, changes: [{ target: 0, fields: [{ name: 900, removed: true }] }] })),
    'a gap in the table': (h) => h.send(frameOf(T.names, { base: 100, names: ['x'] })),
    'a snapshot part alone': (h) => h.send(frameOf(T.snapPart, { data: new Uint8Array(3) })),
    'more parts than announced': (h) => h.send(frameOf(T.snapBegin, { seq: 5, size: 2 }), frameOf(T.snapPart, { data: new Uint8Array(3) })),
    'a wrong checksum': (h) => h.send(frameOf(T.snapBegin, { seq: 5, size: 1 }), frameOf(T.snapPart, { data: new Uint8Array(1) }), frameOf(T.snapEnd, { crc: 1 }))
  }
  for (const [name, act] of Object.entries(cases)) {
    const { h, s, take } = joined()
    take()
    h.heard()
    act(h)
    assert.deepEqual(h.heard().map((f) => [f.type, f.code]), [[T.bye, 'protocol_error']], name)
    assert.equal(h.t.closed[0], 4002, name)
    s.update(0)
    assert.deepEqual(take(), [['onSessionStopped', 'protocol_error']], name)
  }
})

test('a frame that may be skipped is skipped', () => {
  const { h, s, take } = joined()
  take()
  h.t.receive(new Uint8Array([200, 1, 1, 5]).buffer)
  s.update(0)
  assert.deepEqual(take(), [])
})

test('state with hostile keys touches no prototype', () => {
  const { h, s } = joined({ entities: [] })
  h.delta(1, 2, [[0, { ['__proto__']: 1, constructor: { a: 1 }, x: JSON.parse('{"__proto__":{"polluted":1}}') }]])
  s.update(0)
  const { gameState } = s.context
  assert.deepEqual(gameState.get('constructor'), { a: 1 })
  assert.equal(gameState.get('toString'), undefined)
  assert.equal(gameState.get('x.toString'), undefined)
  assert.equal(gameState.get('x.polluted'), undefined)
  assert.equal({}.polluted, undefined)
})

test('a flood of frames that are never refused ends the session instead of the page', () => {
  const { h, s, take } = joined()
  take()
  for (let i = 1; i < 9000 && !h.t.closed; i++) h.load(i)
  assert.equal(h.t.closed[0], 4002)
  s.update(0)
  assert.equal(take().pop()[1], 'protocol_error')
})

// Heartbeat, resume

test('pings are answered where they come, without update and without timers (socket.io#4040)', () => {
  const { world, h, s } = joined()
  h.take()
  for (let i = 0; i < 150; i++) {
    world.freeze(2000)
    h.send(frameOf(T.ping, { seq: i, t0: 5 }))
  }
  assert.equal(h.take().filter((f) => f.type === T.pong).length, 150)
  world.pass(0) // the timers of five minutes, late
  world.pass(1000)
  s.update(0)
  assert.equal(h.t.closed, null)
  assert.equal(s.isSessionActive, true)
})

test('a silent host: noticed within 10 s, resumed, and given up after 20 s (godot#99747)', () => {
  const { world, h, s, take } = joined()
  take()
  world.pass(9900)
  assert.equal(h.t.closed, null)
  world.pass(2200)
  assert.deepEqual(h.t.closed, [4005, 'timeout'])
  s.update(0)
  assert.deepEqual(take(), [['onClientConnectionLost']])
  assert.equal(s.isSessionActive, true, 'the seat is kept')
  for (let i = 0; i < 38; i++) { world.pass(500); if (world.last.state === 'connecting') world.last.drop() }
  s.update(0)
  assert.deepEqual(take(), [])
  world.pass(2500)
  s.update(0)
  assert.deepEqual(take(), [['onSessionStopped', 'host_not_responding']])
  assert.equal(world.timers.length, 0)
})

/** Brings a client back over a new connection. */
function comeBack({ world, h }, { id = 2, resumed = true, token = 9, entities = [{ target: 0, fields: { phase: 'later' } }] } = {}) {
  world.pass(300)
  const again = new FakeHost(world, { id })
  again.challenge()
  const [auth] = again.take()
  again.send(again.welcomeFrame({ resumed, token: new Uint8Array(16).fill(token) }))
  if (entities) again.snapshot(5, entities)
  return { again, auth, h }
}

test('resume: with the token of the last Welcome, same id, new state, events in order', () => {
  const all = joined()
  const { h, s, take } = all
  take()
  h.delta(1, 2, [[0, { phase: 'lost' }]])
  h.t.drop(1006)
  const { auth } = comeBack(all)
  assert.deepEqual([auth.resume.length, auth.resume[0], auth.loaded], [16, 2, 0])
  s.update(0)
  assert.deepEqual(take().map(([name]) => name), ['onClientConnectionLost', 'onClientConnectionResumed', 'onClientGameStateReplicated'])
  assert.equal(s.context.gameState.get('phase'), 'later')
  assert.equal(s.localConnectionId, 2)
})

test('resume: the token rotates, and a second drop uses the new one', () => {
  const all = joined()
  all.h.t.drop(4005)
  const { again } = comeBack(all, { token: 33 })
  again.t.drop(4010)
  const { auth } = comeBack(all)
  assert.equal(auth.resume[0], 33)
})

test('resume before the host ever sent an event (socket.io#5538)', () => {
  const all = joined({ entities: [] })
  all.h.t.drop(1001)
  comeBack(all, { entities: [] })
  all.s.update(0)
  assert.equal(all.names().includes('onClientConnectionResumed'), true)
  assert.equal(all.s.isSessionActive, true)
})

test('resume only after the closes that allow it', () => {
  for (const code of [1001, 1005, 1006, 4005, 4010]) {
    const { world, h } = joined()
    h.t.drop(code)
    world.pass(0)
    assert.equal(world.dials.length, 2, `${code}`)
  }
  for (const bye of ['timeout', 'slow_consumer']) {
    const { world, h } = joined()
    h.bye(bye)
    world.pass(0)
    assert.equal(world.dials.length, 2, bye)
  }
})

test('resume: bad_token ends the session and is never turned into a fresh join', () => {
  const { world, h, s, take } = joined()
  take()
  h.t.drop(1006)
  world.pass(0)
  const again = new FakeHost(world)
  again.challenge()
  again.reject('bad_token')
  world.pass(60000)
  s.update(0)
  assert.deepEqual(take(), [['onClientConnectionLost'], ['onSessionStopped', 'connection_lost']])
  assert.equal(world.dials.length, 2)
})

test('resume: a welcome to another seat is refused', () => {
  const all = joined()
  all.h.t.drop(1006)
  const { again } = comeBack(all, { id: 3, entities: null })
  assert.equal(again.t.closed[0], 4002)
})

test('resume: the page was woken, and tries at once', () => {
  const { world, h } = joined()
  h.t.drop(1006)
  for (let i = 0; i < 6; i++) { world.pass(2000); if (world.last.state === 'connecting') world.last.drop() }
  const before = world.dials.length
  world.wake()
  assert.equal(world.dials.length, before + 1)
})

test('a computer that slept: the clock is measured again and the host gets a moment to answer', () => {
  const { world, h, s, take } = joined()
  take()
  h.take()
  world.freeze(3600000)
  world.pass(1)
  assert.equal(h.t.closed, null)
  const pings = () => h.take().filter((f) => f.type === T.ping).length
  world.pass(1000)
  assert.ok(pings() >= 8)
  h.send(frameOf(T.ping, { seq: 1, t0: 1 }))
  world.pass(3000)
  assert.equal(h.t.closed, null)
  world.slept = 7200000 // a clock that stands still in sleep is noticed by the other one
  world.pass(2000)
  assert.ok(pings() >= 8)
  world.pass(4000)
  assert.deepEqual(h.t.closed, [4005, 'timeout'], 'it did not answer')
  s.update(0)
  assert.deepEqual(take(), [['onClientConnectionLost']])
})

test('a page that was reloaded comes back to its seat', () => {
  const first = joined()
  const { world } = first
  world.reload()
  const m = world.manager()
  m.s.joinSession(REQUEST, '192.168.1.20')
  const h = new FakeHost(world)
  h.challenge()
  const [auth] = h.take()
  assert.equal(auth.resume[0], 2)
  h.send(h.welcomeFrame({ resumed: true }))
  h.snapshot(1, [])
  h.load(4)
  m.s.update(0)
  assert.deepEqual(m.names(), ['onSessionStarted', 'onClientGameStateReplicated', 'onClientSceneLoadRequested'])
  assert.equal(m.s.localConnectionId, 2)
})

test('a reloaded page whose seat is gone joins afresh; another project, host or session has no seat', () => {
  const { world } = joined()
  world.reload()
  const m = world.manager()
  m.s.joinSession(REQUEST, '192.168.1.20')
  const h = new FakeHost(world)
  h.challenge()
  h.reject('bad_token')
  const fresh = new FakeHost(world, { id: 8 })
  assert.equal(fresh.join().resume.length, 0)
  m.s.update(0)
  assert.equal(m.s.localConnectionId, 8)

  for (const [request, address] of [[{ projectId: 'other' }, '192.168.1.20'], [{}, '192.168.1.21'], [{ sessionId: 'monday' }, '192.168.1.20']]) {
    const other = world.manager()
    other.s.joinSession({ ...REQUEST, ...request }, address)
    const host = new FakeHost(world, { project: request.projectId || 'skiff' })
    host.challenge()
    assert.equal(host.take()[0].resume.length, 0)
  }
})

test('two clients of one page have a seat each, and find their own after a reload', () => {
  const world = new World()
  joined({ world, host: { id: 4 } })
  const second = joined({ world, host: { id: 5 } })
  assert.equal(second.h.auth.resume.length, 0, 'it does not take the seat of the first')
  world.reload()
  for (const id of [4, 5]) {
    world.manager().s.joinSession(REQUEST, '192.168.1.20')
    const h = new FakeHost(world)
    h.challenge()
    assert.equal(h.take()[0].resume[0], id)
  }
})

test('storage that throws or holds rubbish only costs the reload', () => {
  const world = new World()
  world.env.storage.getItem = () => { throw new Error('denied') }
  world.env.storage.setItem = () => { throw new Error('full') }
  assert.equal(joined({ world }).s.isSessionActive, true)
  const rubbish = new World()
  for (const text of ['{', '5', 'null', '{"token":5}', '{"token":"zz"}']) {
    rubbish.env.storage.getItem = () => text
    assert.equal(joined({ world: rubbish }).h.auth.resume.length, 0)
  }
})

test('a Welcome that resumes though nobody asked is no host of ours', () => {
  const joining = dialled()
  const h = new FakeHost(joining.world)
  h.challenge()
  h.send(h.welcomeFrame({ resumed: true }))
  assert.deepEqual(failure(joining), ['onClientJoinFailed not_a_host'])
})

// serverTimeEpochMs

test('serverTimeEpochMs: Date.now() before, the host\'s clock after, and it goes on without update', () => {
  const world = new World()
  const { s } = world.manager()
  assert.equal(s.serverTimeEpochMs, world.env.wall())
  s.joinSession(REQUEST, 'localhost')
  assert.equal(s.serverTimeEpochMs, world.env.wall())
  const h = new FakeHost(world)
  h.join([], { hostMicros: 5000000000 })
  s.update(0)
  assert.equal(s.serverTimeEpochMs, 5000000)
  world.pass(40)
  assert.equal(s.serverTimeEpochMs, 5000040)
  for (const ping of h.take().filter((f) => f.type === T.ping)) {
    h.send(frameOf(T.pong, { seq: ping.seq, t0: ping.t0, t1: 5000100000, t2: 5000100000 }))
  }
  const at = s.serverTimeEpochMs
  world.pass(1000)
  const passed = s.serverTimeEpochMs - at
  assert.ok(passed > 1000 && passed <= 1051, `slewed by ${passed - 1000}`)
})

test('a Pong to a Ping that was never sent is ignored', () => {
  const { world, h, s } = joined()
  const before = s.serverTimeEpochMs
  h.send(frameOf(T.pong, { seq: 999, t0: 1, t1: 1, t2: 1 }), frameOf(T.pong, { seq: 1, t0: 12345, t1: 1, t2: 1 }))
  world.pass(10)
  assert.equal(s.serverTimeEpochMs, before + 10)
})

test('joinSession in the launcher: the deadline begins when the host was reached, for the player may be asked before', async () => {
  const world = new World({ kind: 'launcher' })
  const { s, names } = world.manager()
  s.joinSession({ ...REQUEST, timeoutMs: 3000 }, 'localhost')
  world.pass(60000)
  s.update(0)
  assert.deepEqual(names(), [])
  world.last.open()
  world.pass(3100)
  s.update(0)
  assert.deepEqual(names(), ['onClientJoinFailed'])
})
