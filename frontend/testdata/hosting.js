// A page that hosts a session and joins it too, through the launcher's addresses: browser_session_test.go is the launcher.
// A frame of it is a page of its own, which can be loaded again while its session goes on.

const results = []
const IDS = ['skiff', 'friday', '1.0']

async function check(name, run) {
  try {
    const problem = await Promise.race([run(), new Promise((resolve) => setTimeout(resolve, 30000, 'no answer'))])
    results.push({ name, problem: problem === undefined ? '' : String(problem) })
  } catch (error) {
    results.push({ name, problem: `${error && error.name}: ${error && error.message}` })
  }
}

function same(got, want, what = '') {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  if (a !== b) throw new Error(`${what} got ${a}, want ${b}`)
}

/** Every manager is updated all the time, as a game does. */
const all = new Set()
setInterval(() => { for (const s of all) s.update(0.016) }, 5)

async function until(done, what = '', ms = 20000) {
  for (const end = performance.now() + ms; ;) {
    const value = done()
    if (value) return value
    if (performance.now() > end) throw new Error(`waited in vain for ${what || done}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const NAMES = ['onHostPeerConnected', 'onHostPeerDisconnected', 'onSessionStarted', 'onSessionStopped', 'onClientJoinFailed',
  'onClientSceneLoadRequested', 'onClientSceneActivate', 'onClientGameStateReplicated', 'onClientPlayerStateReplicated',
  'onClientObjectReplicated', 'onHostSceneTransitionComplete', 'onHostPeerSceneLoadComplete', 'onHostPeerActivatedInScene',
  'onHostPeerDropped', 'onHostPeerResumed', 'onHostTransitionAborted', 'onClientConnectionLost', 'onClientConnectionResumed', 'onClientObjectRemoved']

function manager(Class = conch.NetSessionManager) {
  const s = new Class()
  s.log = []
  for (const name of NAMES) s[name].add((...args) => { s.log.push([name, ...args]) })
  s.names = () => s.log.map(([name]) => name)
  s.count = (name) => s.log.filter(([n]) => n === name).length
  all.add(s)
  return s
}

async function joined(host, name) {
  const s = manager()
  const request = { projectId: 'skiff', buildHash: '1.0', playerName: name, joinCode: host.joinCode }
  if (!s.joinSession(request, `127.0.0.1:${host.hostPort}`)) throw new Error(s.lastError)
  await until(() => s.log.length > 0, 'joining')
  same(s.log[0], ['onSessionStarted'])
  return s
}

async function settled(op) {
  await until(() => op.state !== 'pending', 'an outcome')
  if (op.error) throw new Error(op.error)
  return op.result
}

async function run() {
  const host = manager()
  let a
  let b

  await check('the names that a game finds', async () => {
    same([typeof NetSessionManager, NetSessionManager.name, NetSessionManager === conch.NetSessionManager], ['function', 'NetSessionManager', true])
    same([conch.NetSessionMode.Host, conch.NetRole.Authority, typeof net.connect], ['host', 'authority', 'function'])
    same(typeof globalThis[Symbol.for('conch.session')], 'undefined', 'what the page script left')
  })

  await check('hosting begins at once', async () => {
    same(host.startHost('skiff', 'friday', '1.0', 0), true, host.lastError)
    same([host.isSessionActive, host.mode, host.localConnectionId, host.hostPort > 0, host.joinCode.length], [true, 'host', 1, true, 6])
    host.context.gameState.set('wind', { x: 1 })
    await until(() => host.log.length > 0)
    same(host.log, [['onSessionStarted']])
    same(manager().startHost('skiff', 'monday', '1.0'), false, 'another one')
    if (Math.abs(host.serverTimeEpochMs - Date.now()) > 100) throw new Error('the clock')
  })

  await check('approval, and the first PlayerState', async () => {
    host.connectionApprovalCallback = async ({ playerName, clientKind, buildMatches, remoteAddress }) => {
      same([clientKind, buildMatches, remoteAddress], ['launcher', true, '127.0.0.1'])
      return playerName === 'no' ? { approved: false, reason: 'not you' } : { approved: true, playerState: { team: 'red' } }
    }
    host.onHostPeerConnected.add(({ connectionId }) => host.context.playerStates.get(connectionId).set('hp', 10))
    const refused = manager()
    refused.joinSession({ projectId: 'skiff', buildHash: '1.0', playerName: 'no', joinCode: host.joinCode }, `127.0.0.1:${host.hostPort}`)
    await until(() => refused.log.length > 0)
    same(refused.log, [['onClientJoinFailed', 'refused: not you']])
    a = await joined(host, 'Zoë')
    const { playerState, gameState } = a.context
    same([playerState.get('team'), playerState.get('hp'), gameState.get('wind.x')], ['red', 10, 1], 'readable at the start')
    b = await joined(host, 'Bo')
    same(host.peers.map((p) => [p.connectionId, p.playerName, p.clientKind]), [[3, 'Zoë', 'launcher'], [4, 'Bo', 'launcher']], 'the one who was refused had 2')
    same(host.count('onHostPeerConnected'), 2)
  })

  await check('state and objects, in order with calls', async () => {
    const seen = []
    a.context.onRpc('look', (args, from, id) => { seen.push([args.readString(), from, a.context.objects.get(id).get('n')]) })
    const args = new conch.DataStream()
    args.writeString('hi')
    const ops = []
    for (let i = 0; i < 50; i++) {
      const boat = host.context.spawn('boat', { n: i }, { owner: 3 })
      ops.push(host.sendRpcToOwner('look', boat.netObjectId, args))
    }
    for (const op of ops) same((await settled(op)).status, 'ok')
    same([seen.length, seen[49]], [50, ['hi', 1, 49]])
    host.context.gameState.set('wind.x', 2)
    await until(() => b.context.gameState.get('wind.x') === 2)
    host.context.despawn(1)
    host.context.setOwner(2, 4)
    await until(() => !b.context.objects.has(1) && b.context.objects.get(2).isMine)
    const hand = host.context.spawn('hand', { cards: [1, 2] }, { owner: 3, private: true })
    host.context.gameState.set('dealt', true)
    await until(() => a.context.objects.has(hand.netObjectId) && b.context.gameState.get('dealt'))
    same(b.context.objects.has(hand.netObjectId), false, 'a private object')
    host.context.despawn(hand.netObjectId)
  })

  await check('calls to the host keep to its rules', async () => {
    host.context.onRpc('mine', (args, from, id) => { const d = new conch.DataStream(); d.writeVarU(from * 100 + id); return d })
    host.context.onRpc('everybodys', async () => {}, { anyone: true })
    host.context.onRpc('throws', () => { throw new Error('on purpose') })
    const status = async (s, name, id) => (await settled(s.sendRpcToHost(name, id, null))).status
    same([await status(a, 'mine', 3), await status(b, 'mine', 3), await status(b, 'everybodys', 3), await status(a, 'nothing', 0), await status(a, 'mine', 999),
      await status(a, 'throws', 0)], ['ok', 'not_owner', 'ok', 'no_handler', 'no_object', 'handler_threw'])
    same((await settled(a.sendRpcToHost('mine', 3, null))).value.readVarU(), 303)
    for (const s of [a, b]) s.context.onRpc('all', () => {})
    host.context.onRpc('all', () => {})
    same((await settled(host.sendRpcMulticast('all', 0, null, [4, 1, 9, 3]))).map((r) => [r.connectionId, r.status]),
      [[4, 'ok'], [1, 'ok'], [9, 'peer_gone'], [3, 'ok']])
  })

  await check('a scene', async () => {
    let release
    host.context.sceneLoader = () => new Promise((resolve) => { release = () => resolve({ root: 1 }) })
    for (const s of [a, b]) { s.log = []; s.context.sceneLoader = async () => ({}) }
    host.log = []
    host.hostLoadScene({ uuid: 'u1', name: 'harbour' })
    same(host.context.objects.size, 0)
    await until(() => host.count('onHostPeerSceneLoadComplete') === 2)
    same(a.count('onClientSceneActivate'), 0, 'the host is not ready')
    await until(() => release)
    release()
    await until(() => a.count('onClientSceneActivate') && b.count('onClientSceneActivate') && host.count('onHostSceneTransitionComplete'))
    same(host.log.slice(2), [['onHostPeerActivatedInScene', 3], ['onHostPeerActivatedInScene', 4], ['onHostSceneTransitionComplete', 1]])
    same([host.activeScene.scene.name, host.activeScene.root, a.activeScene.scene.name, a.context.objects.size], ['harbour', 1, 'harbour', 0])
    same(host.getPeerForConnection(3).state, 'active')
  })

  await check('a scene that the host cannot load', async () => {
    host.log = []
    host.context.sceneLoader = async ({ name }) => { if (name === 'broken') throw new Error('no such file') }
    host.hostLoadScene({ uuid: 'u2', name: 'broken' })
    await until(() => host.count('onHostSceneTransitionComplete'))
    same(host.log.filter(([name]) => /Aborted|Complete$/.test(name) && !/Load/.test(name)), [['onHostTransitionAborted', 2, 'no such file'], ['onHostSceneTransitionComplete', 3]])
    await until(() => a.activeScene.transitionId === 3)
    same([host.activeScene.scene.name, a.activeScene.scene.name], ['harbour', 'harbour'])
  })

  await check('a peer that leaves, and one that is sent away', async () => {
    host.log = []
    host.context.spawn('hat', {}, { owner: 4, despawnWithOwner: true })
    const kept = host.context.spawn('boat', {}, { owner: 4 })
    b.stop()
    await until(() => host.count('onHostPeerDisconnected'))
    same(host.log, [['onHostPeerDisconnected', 4, 'left']])
    same([kept.owner, host.context.objects.size], [1, 1])
    await until(() => a.context.objects.size === 1 && a.context.objects.get(kept.netObjectId).owner === 1)
    a.log = []
    host.disconnectPeer(3, 'be nice')
    await until(() => a.count('onSessionStopped'))
    same(a.log.pop(), ['onSessionStopped', 'kicked: be nice'])
    await until(() => host.count('onHostPeerDisconnected') === 2)
    same(host.peerCount, 0)
  })

  await check('stopping', async () => {
    const c = await joined(host, 'Cy')
    host.log = []
    host.stop()
    same([host.isSessionActive, host.isAuthority], [false, true])
    await until(() => host.count('onSessionStopped') && c.count('onSessionStopped'))
    same(host.log, [['onHostPeerDisconnected', 5, 'host_stopped'], ['onSessionStopped', 'local_stop']])
    same(c.log.pop(), ['onSessionStopped', 'host_stopped'])
  })

  await check('a page that is loaded again goes on with its session', async () => {
    const frame = document.body.appendChild(document.createElement('iframe'))
    const load = () => new Promise((resolve) => { frame.onload = resolve; frame.src = '/hosting.html?frame' })
    await load()
    let page = frame.contentWindow
    let far = page.manager()
    same(far.startHost(...IDS, 0), true, far.lastError)
    await until(() => far.names().includes('onSessionStarted'))
    const c = await joined(far, 'Cy')
    far.context.gameState.set('round', 7)
    far.context.spawn('boat', { n: 1 }, { owner: 2, persistent: true })
    far.hostLoadScene({ uuid: 'u9', name: 'bay' }, true)
    c.context.sceneLoader = () => ({})
    await until(() => c.count('onClientSceneActivate') && c.context.gameState.get('round') === 7)
    const { hostPort } = far
    await load()
    page = frame.contentWindow
    far = page.manager()
    same(far.startHost(...IDS, 0), true, far.lastError)
    await until(() => far.names().includes('onHostPeerConnected'))
    same([far.hostPort, far.context.gameState.get('round'), far.context.objects.get(1).get('n'), far.activeScene.scene.name, far.peerCount],
      [hostPort, 7, 1, 'bay', 1])
    far.context.gameState.set('round', 8)
    await until(() => c.context.gameState.get('round') === 8)
    same(c.count('onClientConnectionLost'), 0, 'the peer noticed nothing')
    same(far.context.spawn('boat', {}).netObjectId, 2)
    far.stop()
    await until(() => c.count('onSessionStopped'))
    frame.remove()
  })

  await check('in a game that replaces what it likes', async () => {
    const frame = document.body.appendChild(document.createElement('iframe'))
    await new Promise((resolve) => { frame.onload = resolve; frame.src = '/hosting.html?frame' })
    const page = frame.contentWindow
    for (const name of ['URL', 'fetch', 'Promise', 'Set', 'Map', 'WeakMap', 'JSON', 'DOMException', 'Proxy', 'setTimeout', 'clearTimeout',
      'encodeURIComponent', 'CloseEvent', 'MessageEvent', 'console', 'TextEncoder', 'TextDecoder', 'Uint8Array', 'DataView', 'XMLHttpRequest', 'WebSocket',
      'Number', 'String', 'Error', 'RangeError', 'TypeError', 'AbortController', 'Uint32Array', 'performance', 'sessionStorage', 'parseInt', 'Array', 'Math', 'Object', 'Reflect', 'Date']) {
      Object.defineProperty(page, name, { value: null, configurable: true })
    }
    page.EventTarget.prototype.addEventListener = null
    const far = manager(page.conch.NetSessionManager)
    same(far.startHost('skiff', 'sunday', '1.0', 0), true, far.lastError)
    await until(() => far.names().includes('onSessionStarted'))
    const near = manager(page.conch.NetSessionManager)
    same(near.joinSession({ projectId: 'skiff', buildHash: '1.0', joinCode: far.joinCode }, `127.0.0.1:${far.hostPort}`), true)
    await until(() => near.log.length > 0)
    same(near.log[0], ['onSessionStarted'])
    far.context.onRpc('echo', (args) => args)
    same((await settled(near.sendRpcToHost('echo', 0, new Uint8Array([1])))).status, 'ok')
    near.stop()
    far.stop()
    await until(() => far.names().includes('onSessionStopped'))
    frame.remove()
  })
}

if (location.search !== '?frame') {
  run().catch((error) => results.push({ name: 'run', problem: String(error) }))
    .then(() => fetch('/done', { method: 'POST', body: JSON.stringify(results) }))
}
