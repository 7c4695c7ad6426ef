// The page's client against the real session host, in a real engine: browser_session_test.go plays the host.

const results = []
const query = new URLSearchParams(location.search)
const HOST = query.get('host')
const CODE = query.get('code')
const REQUEST = { projectId: 'skiff', buildHash: '1.0', joinCode: CODE }

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

/** Updates a manager as a game does, until done. */
async function until(s, done, ms = 20000) {
  for (const end = performance.now() + ms; ;) {
    s.update(1 / 60)
    const value = done()
    if (value) return value
    if (performance.now() > end) throw new Error(`waited in vain for ${done}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const NAMES = ['onSessionStarted', 'onSessionStopped', 'onClientJoinFailed', 'onClientSceneLoadRequested', 'onClientSceneActivate',
  'onClientGameStateReplicated', 'onClientPlayerStateReplicated', 'onClientObjectReplicated', 'onClientObjectRemoved',
  'onClientConnectionLost', 'onClientConnectionResumed']

function manager() {
  const s = new NetSessionManager()
  s.log = []
  for (const name of NAMES) s[name].add((...args) => { s.log.push([name, ...args]) })
  s.seen = (name) => s.log.find(([n]) => n === name)
  return s
}

async function fails(request, address = HOST) {
  const s = manager()
  if (!s.joinSession({ ...REQUEST, ...request }, address)) return `false: ${s.lastError}`
  await until(s, () => s.log.length > 0)
  if (s.log.length !== 1) throw new Error(JSON.stringify(s.log))
  return s.log[0].slice(0, 2).join(' ')
}

async function join(request = {}) {
  const s = manager()
  if (!s.joinSession({ ...REQUEST, ...request }, HOST)) throw new Error(s.lastError)
  await until(s, () => s.log.length > 0)
  if (s.log[0][0] !== 'onSessionStarted') throw new Error(JSON.stringify(s.log))
  return s
}

/** A call to the host and its outcome. */
async function call(s, name, data = null, object = 0) {
  const op = s.sendRpcToHost(name, object, data)
  await until(s, () => op.state !== 'pending')
  if (op.error) throw new Error(op.error)
  return op.result
}

async function run() {
  await check('without what browsers have in secure contexts only', async () => {
    same([typeof crypto.subtle, typeof crypto.randomUUID, typeof conch.NetSessionManager, NetSessionManager.name], ['undefined', 'undefined', 'function', 'NetSessionManager'])
  })

  await check('refusals arrive with their reasons', async () => {
    same(await fails({ projectId: 'other' }), 'onClientJoinFailed wrong_project')
    same(await fails({ buildHash: '2.0' }), 'onClientJoinFailed build_mismatch: host=1.0 you=2.0')
    same(await fails({ sessionId: 'monday' }), 'onClientJoinFailed wrong_session')
    same(await fails({ joinCode: 'AAAAAA' }), 'onClientJoinFailed bad_code')
    same(await fails({ playerName: 'refused' }), 'onClientJoinFailed refused: no bots')
    same(await fails({}, '127.0.0.1:1'), 'onClientJoinFailed unreachable', 'port 1')
    same(await fails({}, query.get('closed')), 'onClientJoinFailed unreachable', 'closed port')
    same(await fails({}, location.host), 'onClientJoinFailed unreachable', 'web server')
  })

  let a
  let b
  await check('joining by code, with the state readable at once', async () => {
    a = await join({ playerName: 'Zoë', userData: new Uint8Array([1, 2, 3]) })
    same(a.log.slice(0, 3).map(([name]) => name), ['onSessionStarted', 'onClientGameStateReplicated', 'onClientPlayerStateReplicated'])
    same([a.mode, a.localRole, a.sessionId, a.isSessionActive, a.hostPort], ['client', 'player', 'friday', true, 0])
    same(a.context.playerState.get('hp'), 10)
    same(a.context.gameState.get('big.list.2.deep'), 'yes')
    same([...a.context.gameState.get('bytes')], [0, 255])
  })

  await check('a second client, a spectator', async () => {
    b = await join({ playerName: 'Bo', asSpectator: true })
    same(b.localRole, 'spectator')
    if (b.localConnectionId <= a.localConnectionId) throw new Error('ids grow')
    await until(a, () => a.context.playerStates.has(b.localConnectionId))
    same([...b.context.playerStates.keys()], [a.localConnectionId, b.localConnectionId])
  })

  await check('calls go there and back, up to the largest', async () => {
    for (const size of [0, 1, 1000, 60000, 65536]) {
      const data = new Uint8Array(size).map((_, i) => i * 31)
      const { status, value, rttMs } = await call(a, 'echo', data)
      same(status, 'ok')
      same(value ? value.toUint8Array().length : 0, size)
      if (value && !value.toUint8Array().every((byte, i) => byte === data[i])) throw new Error('other bytes')
      if (!(rttMs > 0 && rttMs < 5000)) throw new Error(`rtt ${rttMs}`)
    }
    same((await call(a, 'echo', new Uint8Array(65537))).status, 'too_large')
    same((await call(a, 'nothing')).status, 'no_handler')
    same((await call(a, 'panics')).status, 'handler_threw')
    same((await call(a, 'echo', null, 999)).status, 'no_object')
  })

  await check('many calls at once are paced, and all are answered', async () => {
    const ops = Array.from({ length: 200 }, (_, i) => a.sendRpcToHost('echo', 0, new Uint8Array([i])))
    await until(a, () => ops.every((op) => op.state !== 'pending'))
    same(ops.filter((op) => op.result.status !== 'ok').length, 0)
    same(ops.map((op) => op.result.value.readU8()).join() === ops.map((_, i) => i % 256).join(), true)
  })

  await check('state changes arrive, whole and once per update', async () => {
    b.log = []
    for (const value of [1, -1, 1.5, 2 ** 40, -0.1, 'text ☂', true, null, [1, [2]]]) {
      const data = new conch.DataStream()
      data.writeString(JSON.stringify(value))
      await call(a, 'set', data)
      await until(b, () => JSON.stringify(b.context.gameState.get('value')) === JSON.stringify(value))
    }
    same(b.log.filter(([name]) => name !== 'onClientGameStateReplicated').map(([name]) => name), [])
    await call(a, 'unset')
    await until(b, () => b.context.gameState.get('value') === undefined)
  })

  await check('an object is there at every call that names it', async () => {
    const missing = []
    const off = a.context.onRpc('see', (data, from, id) => { seen++; if (!a.context.objects.has(id)) missing.push(id) })
    let seen = 0
    const data = new conch.DataStream()
    data.writeVarU(200)
    await call(a, 'spawn', data)
    await until(a, () => seen === 200)
    same(missing, [])
    off()
    await until(b, () => b.context.objects.size === 200)
    const own = [...a.context.objects.values()].find((o) => o.isMine)
    same([own.typeName, own.get('x'), own.owner], ['boat', 1, a.localConnectionId])
    same((await call(a, 'steer', null, own.netObjectId)).status, 'ok')
    same((await call(b, 'steer', null, own.netObjectId)).status, 'not_owner')
    same((await call(b, 'wave', null, own.netObjectId)).status, 'ok')
  })

  await check('calls from the host, with replies', async () => {
    a.context.onRpc('sum', async (data) => {
      const reply = new conch.DataStream()
      reply.writeVarU(data.readVarU() + data.readVarU())
      return reply
    })
    b.context.onRpc('sum', () => { throw new Error('on purpose') })
    const op = a.sendRpcToHost('askAll', 0, null)
    await until(a, () => { b.update(0); return op.state !== 'pending' })
    same(op.result.value.readString(), `${a.localConnectionId} ok 7, ${b.localConnectionId} handler_threw`)
  })

  await check('the checksum of a busy state is the same on both sides', async () => {
    const start = performance.now()
    while (performance.now() - start < 11000) {
      await call(a, 'shake')
      b.update(0)
    }
    same(resyncs, 0, 'resyncs')
    const want = (await call(a, 'digest')).value.readString()
    for (const s of [a, b]) {
      s.update(0)
      same(digestOf(s), want)
    }
  })

  await check('a scene: load, wait for all, activate', async () => {
    await call(a, 'scene')
    const [, uuid, name, seamless, tid] = await until(a, () => a.seen('onClientSceneLoadRequested'))
    same([uuid, name, seamless], ['6f1c0a52-0000-4000-8000-000000000001', 'harbour', false])
    same(a.context.objects.size, 0)
    await until(b, () => b.seen('onClientSceneLoadRequested'))
    a.notifyClientSceneLoaded({ instanceId: 'x', scene: { uuid, name }, transitionId: tid })
    await new Promise((resolve) => setTimeout(resolve, 300))
    a.update(0)
    if (a.seen('onClientSceneActivate')) throw new Error('activated before everybody had loaded')
    b.notifyClientSceneLoaded({ instanceId: 'y', scene: { uuid, name }, transitionId: tid })
    await until(a, () => a.seen('onClientSceneActivate'))
    await until(b, () => b.seen('onClientSceneActivate'))
    same([a.activeScene.scene.name, a.activeScene.transitionId], ['harbour', tid])
  })

  await check('a seamless scene keeps the persistent objects', async () => {
    const data = new conch.DataStream()
    data.writeVarU(3)
    await call(a, 'spawn', data)
    await call(a, 'flag')
    await until(a, () => a.context.objects.size === 4)
    const flag = [...a.context.objects.values()].find((o) => o.persistent)
    a.log = []
    b.log = []
    for (const s of [a, b]) s.context.sceneLoader = async () => ({})
    await call(a, 'seamless')
    await until(a, () => { b.update(0); return a.seen('onClientSceneActivate') })
    same([...a.context.objects.values()].map((o) => o === flag), [true])
    same(a.log.filter(([name]) => name === 'onClientObjectRemoved').length, 3)
    same(a.seen('onClientObjectReplicated'), undefined)
  })

  await check('a connection that breaks is resumed: same id, new state, no scene again', async () => {
    const { localConnectionId: id } = a
    a.log = []
    const lost = sockets.find((ws) => ws.readyState === 1)
    lost.close(4005)
    await until(a, () => { b.update(0); return a.seen('onClientConnectionResumed') })
    same(a.localConnectionId, id)
    same(a.seen('onClientSceneLoadRequested'), undefined)
    same((await call(a, 'echo', new Uint8Array([5]))).status, 'ok')
    same(a.isSessionActive, true)
    same(a.context.objects.size, 1)
  })

  await check('the clock', async () => {
    await until(a, () => performance.now() > 1000)
    const off = a.serverTimeEpochMs - Date.now()
    if (Math.abs(off) > 50) throw new Error(`${off} ms off`)
    let last = 0
    for (let i = 0; i < 1000; i++) {
      const now = a.serverTimeEpochMs
      if (now < last) throw new Error('it went back')
      last = now
    }
  })

  await check('a host that sends a peer away says why', async () => {
    b.log = []
    const op = b.sendRpcToHost('kickMe', 0, null)
    await until(b, () => b.seen('onSessionStopped'))
    same(b.log.pop(), ['onSessionStopped', 'kicked: be nice'])
    if (op.state === 'pending') throw new Error('the call still waits')
    same([b.mode, b.context], ['none', null])
  })

  await check('leaving', async () => {
    const gone = a.localConnectionId
    a.stop()
    a.update(0)
    same(a.log.pop(), ['onSessionStopped', 'local_stop'])
    const c = await join()
    await until(c, () => c.context.gameState.get('left') === gone)
    c.stop()
    c.update(0)
  })
}

/** Every state and object that a client has, as the host writes it. */
function digestOf(s) {
  const { gameState, playerStates, objects } = s.context
  const lines = [['game', gameState], ...[...playerStates].map(([id, p]) => [`player ${id}`, p]), ...[...objects].map(([id, o]) => [`object ${id}`, o])]
  return lines.map(([name, state]) => `${name}: ${state.names().filter((n) => /^[nsx]$/.test(n)).sort().map((n) => `${n}=${JSON.stringify(state.get(n))}`).join(' ')}`).sort().join('\n')
}

run().catch((error) => results.push({ name: 'run', problem: String(error) }))
  .then(() => fetch('/done', { method: 'POST', body: JSON.stringify(results) }))
