// A small game as an author writes it: everybody moves a boat. It is checked against conch.d.ts, as an editor would.

const session = new conch.NetSessionManager()

session.connectionApprovalCallback = async ({ playerName, signal }) => {
  if (signal.aborted || playerName === '') return { approved: false, reason: 'tell us your name' }
  return { approved: true, playerState: { score: 0 } }
}

session.onSessionStarted.add(() => {
  const { context } = session
  if (!context) return
  context.sceneLoader = async ({ uuid, name }, seamless) => ({ root: document.getElementById(uuid), name, seamless })
  if (session.isAuthority) host(context)
})

/** @param {NetSessionContext} context */
function host(context) {
  context.gameState.set('wind', { x: 1, y: 0 })
  context.onRpc('steer', (args, from, objectId) => {
    const boat = context.objects.get(objectId)
    if (boat) boat.set('x', Number(boat.get('x')) + args.readF32())
    const state = context.playerStates.get(from)
    if (state) state.set('score', Number(state.get('score')) + 1)
  })
  session.onHostPeerConnected.add(({ connectionId }) => {
    context.spawn('boat', { x: 0, y: connectionId }, { owner: connectionId, despawnWithOwner: true })
  })
  session.onHostSceneTransitionComplete.add(() => {
    session.sendRpcMulticast('start', 0, null, session.peers.map((peer) => peer.connectionId))
      .onDone((op) => console.log(op.error || (op.result || []).map(({ status }) => status)))
  })
  session.hostLoadScene({ uuid: '6f1c0a52-0000-4000-8000-000000000001', name: 'harbour' })
}

session.onClientSceneActivate.add(async () => {
  const mine = [...(session.context?.objects.values() || [])].find((object) => object.isMine)
  if (!mine) return
  const args = new conch.DataStream()
  args.writeF32(0.5)
  const { status, rttMs } = await session.sendRpcToHost('steer', mine.netObjectId, args)
  console.log(status, rttMs, mine.get('x'), session.context?.gameState.get('wind.x'))
})

for (const event of [session.onSessionStopped, session.onClientJoinFailed]) event.add((reason) => console.log(reason, session.lastError))

const joining = new URLSearchParams(location.search).get('join')
const started = joining === null ? session.startHost('skiff', 'friday', '1.0')
  : session.joinSession({ projectId: 'skiff', buildHash: '1.0', playerName: 'Zoë', joinCode: 'K7M-2QX' }, joining)
if (!started) console.log(session.lastError)

requestAnimationFrame(function frame() {
  session.update(1 / 60)
  requestAnimationFrame(frame)
})
