// The session host's page. The host itself runs in the launcher: this end tells it what the page changes and mirrors what
// it says, so that a game reads everything at once. docs/session-link.md.

import { Error, Map, Object, Promise, Set, TypeError, Uint8Array } from '../primitives.js'
import { createApprovals } from './approvals.js'
import { callName, createCalls } from './calls.js'
import { decode, encode } from './cbor.js'
import { createContext } from './context.js'
import { createHeart } from './heart.js'
import { createHostState } from './hoststate.js'
import { createOp } from './op.js'
import { peerInfo } from './peer.js'
import { instanceOf, sceneOf } from './scene.js'
import { bytesOf } from './stream.js'
import { cut } from './text.js'
import { STATUSES } from './wire.js'

/** @import { Env, HostReply, HostStart, Operation, RoleHooks, Transport } from './types.d.ts' */

const HOST = 1
const LINK = { size: 32 << 20, nesting: 20, elements: 1 << 17 }

/** A page that has not called update() for this long has no frames: what cannot wait is done when it arrives. */
const STALLED = 500

/** How long the launcher may take to stop, in milliseconds. */
const STOPPING = 2000

/**
 * @param {Env} env
 * @param {RoleHooks & { approval: () => unknown }} hooks
 * @param {HostStart} start
 * @param {HostReply} reply what the launcher answered
 * @param {Transport} link
 */
export function createHost(env, { mail, emit, finished, approval }, start, reply, link) {
  const { sessionId } = start
  let active = true
  let stopping = false // by the page, which hears nothing more of the session
  let stopped = false
  /** @type {string[]} where people on the network reach this host */
  let addresses = []
  let updated = env.now()

  /** @type {Map<number, any>} */
  const peers = new Map()
  /** @type {any} the peer whose leaving is being told */
  let gone = null
  const approvals = createApprovals(env, { callback: approval, ids: start, say })

  let loading = { tid: 0, uuid: '', name: '', instance: /** @type {any} */ (null) }
  /** @type {any} */
  let activeScene = null
  /** @type {any} the scene or handle that hostLoadScene was given last */
  let wanted = null

  const calls = createCalls({ log: env.log, now: env.now, later: (run) => mail.post(run, 'always') })
  const heart = createHeart(env, { ping: (seq, t0) => say('ping', seq, t0), silent() {} })
  heart.clock.start(reply.hostMicros / 1000, env.now())
  const stopWake = env.onWake(() => {
    heart.wake()
    approvals.decide()
  })

  const state = createHostState({ sessionId, isActive: () => active, isPeer: (id) => peers.has(id), say })
  const context = createContext({
    ids: () => start,
    gameState: () => state.game.view,
    playerState: () => state.players.get(HOST),
    playerStates: state.players,
    objects: state.objects,
    onRpc: calls.handle,
    change: state.change
  })

  // The link.

  /** @type {any[][]} commands that go out together, when the page has had its turn */
  let outbox = []
  let open = false
  link.onopen = () => {
    open = true
    heart.start({ pingMillis: 10000, timeoutMillis: 600000 }, reply.hostMicros)
    flush()
  }
  link.onclose = () => finish(stopping ? 'local_stop' : 'connection_lost')
  link.onmessage = (data) => {
    let events
    try {
      events = decode(new Uint8Array(/** @type {ArrayBuffer} */ (data)), LINK)
    } catch (error) {
      env.log.error('the launcher sent something else than events:', error)
      return finish('protocol_error')
    }
    for (const [name, ...args] of events) receive(name, args)
    if (env.now() - updated > STALLED) approvals.decide()
  }

  /** @param {any[]} command */
  function say(...command) { queue(command) }

  /** @param {any[]} command */
  function queue(command) {
    if (!stopped && outbox.push(command) === 1) Promise.resolve().then(flush)
  }

  function flush() {
    if (!open || stopped || outbox.length === 0) return
    const commands = outbox
    outbox = []
    link.send(encode(commands, LINK))
  }

  /**
   * @param {string} name
   * @param {any[]} args
   */
  function receive(name, args) {
    const [first, ...rest] = args
    if (stopping && name !== 'stopped') return
    switch (name) {
      case 'pong': return heart.pong({ seq: args[0], t0: args[1], t1: args[2], t2: args[3] })
      case 'approve': return approvals.ask(first, rest[0])
      case 'forget': return approvals.forget(first)
      case 'stopped': return finish(stopping ? 'local_stop' : `${first}`)
      case 'call': {
        const [from, call, object, bytes, wanted] = rest
        const answer = (/** @type {string} */ status, /** @type {Uint8Array} */ value = new Uint8Array(0)) => {
          if (wanted) say('reply', first, status, value)
        }
        if (mail.full) return answer('queue_full')
        return mail.post(() => called(from, call, object, bytes, answer), 'call', bytes.length)
      }
      default: {
        const handler = EVENTS[name]
        if (handler) mail.post(() => handler(...args))
      }
    }
  }

  /** @type {Record<string, (...args: any[]) => void>} what is told in update(), in order */
  const EVENTS = {
    state: begin,
    addresses: (all) => { addresses = all },
    peers: (all) => { for (const info of all) if (peers.has(info.id)) peers.set(info.id, peerInfo(info)) },
    connected(info, fields) {
      const known = peers.has(info.id) // from the state
      peers.set(info.id, peerInfo(info))
      state.addPlayer(info.id, fields)
      if (!known) tell('onHostPeerConnected', peers.get(info.id))
      say('ready', info.id)
    },
    disconnected(info, reason) {
      if (!peers.has(info.id)) return // it left before this page was loaded
      gone = peerInfo({ ...info, state: 'gone' })
      peers.delete(info.id)
      state.orphan(info.id)
      tell('onHostPeerDisconnected', info.id, reason)
      gone = null
      state.removePlayer(info.id)
    },
    dropped: (info) => peerEvent('onHostPeerDropped', info),
    resumed: (info) => peerEvent('onHostPeerResumed', info),
    load: loadScene,
    sceneLoaded: (info) => peerEvent('onHostPeerSceneLoadComplete', info),
    activated(info, tid) {
      show(tid)
      peerEvent('onHostPeerActivatedInScene', info)
    },
    complete(tid) {
      show(tid)
      tell('onHostSceneTransitionComplete', tid)
    },
    aborted: (tid, why) => tell('onHostTransitionAborted', tid, why),
    result: (id, connection, status, value) => calls.settle(id, connection, STATUSES.includes(status) ? status : 'unknown', value),
    failed: (id, error) => calls.fail(id, `${error}`)
  }

  /**
   * @param {string} event
   * @param {unknown[]} args
   */
  function tell(event, ...args) { if (!stopping) emit(event, ...args) }

  /**
   * @param {string} event
   * @param {any} info
   */
  function peerEvent(event, info) {
    if (!peers.has(info.id)) return
    peers.set(info.id, peerInfo(info))
    tell(event, info.id)
  }

  /** The first thing that the launcher says: what it kept of an earlier page or program. @param {any} kept */
  function begin(kept) {
    for (const entity of kept.entities) state.restore(entity)
    if (kept.scene) {
      const [tid, uuid, name] = kept.scene
      loading = { tid, uuid, name, instance: null }
      activeScene = instanceOf(env, loading, null)
    }
    for (const info of kept.peers) peers.set(info.id, peerInfo(info))
    tell('onSessionStarted')
    for (const { id } of kept.peers) if (peers.has(id)) tell('onHostPeerConnected', peers.get(id))
  }

  // Scenes.

  /**
   * @param {number} tid
   * @param {string} uuid
   * @param {string} name
   * @param {boolean} seamless
   * @param {boolean} back to the scene before, since another could not be loaded
   */
  function loadScene(tid, uuid, name, seamless, back) {
    if (back) {
      state.clear()
      activeScene = null
    }
    loading = { tid, uuid, name, instance: null }
    const current = loading
    const given = wanted && wanted.uuid === uuid ? wanted : { uuid, name }
    const { sceneLoader } = context
    const load = async () => {
      const scene = typeof given.load === 'function' && !given.loaded ? (await given.load()) || given : given
      return typeof sceneLoader === 'function' ? sceneLoader(scene, seamless) : null
    }
    load().then((made) => {
      if (loading !== current) return
      current.instance = instanceOf(env, current, made)
      say('loaded', tid, true, '')
    }, (error) => {
      env.log.error(`the scene ${name} could not be loaded:`, error)
      say('loaded', tid, false, cut(error instanceof Error ? error.message : `${error}`, 512))
    })
  }

  /** @param {number} tid the transition that was completed */
  function show(tid) {
    if (loading.tid === tid && (!activeScene || activeScene.transitionId !== tid)) activeScene = loading.instance || instanceOf(env, loading, null)
  }

  // Calls.

  /**
   * @param {number} from
   * @param {string} name
   * @param {number} object
   * @param {Uint8Array} args
   * @param {(status: string, value?: Uint8Array) => void} answer
   */
  function called(from, name, object, args, answer) {
    const node = object === 0 ? null : state.objects.get(object)
    if (node === undefined) return answer('no_object')
    if (node && from !== HOST && node.owner !== from && calls.handlers.has(name) && !calls.handlers.get(name)?.anyone) return answer('not_owner')
    calls.run(name, args, from, object, answer)
  }

  /**
   * @param {unknown} name
   * @param {number} object
   * @param {unknown} args
   * @param {number[]} connections
   * @param {boolean} many
   */
  function send(name, object, args, connections, many) {
    const text = callName(name)
    const bytes = bytesOf(args).slice()
    if (!active) return settled((operation) => operation.fail('not_connected'))
    if (connections.length === 0) return settled((operation) => operation.succeed([]))
    /** @type {any[]} */
    const command = ['call', 0, text, object, bytes, []]
    const call = calls.open(connections, many, () => {
      if (connections.includes(HOST) || !outbox.includes(command)) return false
      outbox = outbox.filter((other) => other !== command)
      return true
    })
    const refuse = (/** @type {number} */ connection, /** @type {string} */ status) => mail.post(() => calls.settle(call.id, connection, status))
    command[1] = call.id
    const far = command[5]
    for (const connection of connections) {
      if (bytes.length > reply.maxArgs) refuse(connection, 'too_large')
      else if (connection === HOST) mail.post(() => called(HOST, text, object, bytes, (status, value) => mail.post(() => calls.settle(call.id, HOST, status, value))))
      else if (!peers.has(connection)) refuse(connection, 'peer_gone')
      else if (object !== 0 && !state.objects.has(object)) refuse(connection, 'no_object')
      else far.push(connection)
    }
    if (far.length > 0) queue(command)
    return call.operation.op
  }

  /** @param {(operation: Operation) => void} settle */
  function settled(settle) {
    const operation = createOp({ log: env.log, later: (run) => mail.post(run, 'always') })
    mail.post(() => settle(operation), 'always')
    return operation.op
  }

  // The end.

  /** The launcher tells everybody, frees the port, and says so. */
  function stop() {
    if (stopping || stopped) return
    say('stop')
    flush()
    stopping = true
    active = false
    mail.discard()
    env.setTimeout(() => finish('local_stop'), STOPPING)
  }

  /** @param {string} reason */
  function finish(reason) {
    if (stopped) return
    stopped = true
    active = false
    stopWake()
    heart.stop()
    link.close(1000, '')
    approvals.stop()
    mail.post(() => {
      stopping = false
      calls.failAll(reason)
      for (const [id, info] of [...peers].sort(([a], [b]) => a - b)) {
        gone = Object.freeze({ ...info, state: 'gone' })
        peers.delete(id)
        emit('onHostPeerDisconnected', id, 'host_stopped')
      }
      gone = null
      finished(reason)
      emit('onSessionStopped', reason)
    }, 'always')
  }

  return {
    get mode() { return reply.dedicated ? 'dedicated' : 'host' },
    isAuthority: true,
    get hostPort() { return active ? reply.port : 0 },
    get joinCode() { return active ? reply.joinCode : '' },
    get hostAddresses() { return active ? addresses : [] },
    get isSessionActive() { return active },
    get localConnectionId() { return active ? HOST : 0 },
    localRole: 'authority',
    get sessionId() { return active ? sessionId : '' },
    get peers() { return [...peers.values()].sort((a, b) => a.connectionId - b.connectionId) },
    get activeScene() { return activeScene },
    get context() { return active ? context : null },
    serverTime: () => heart.clock.now(env.now()),
    /** @param {number} id */
    peer: (id) => peers.get(id) || (gone && gone.connectionId === id ? gone : undefined),

    stop,

    /** Before the queue is drained. */
    beforeUpdate() {
      updated = env.now()
      approvals.decide()
    },
    update() {},

    /**
     * @param {number} id
     * @param {unknown} reason
     */
    disconnectPeer(id, reason) {
      if (id === HOST) throw new TypeError('disconnectPeer: the host leaves by stop()')
      if (active && peers.has(id)) say('kick', id, cut(`${reason === undefined ? '' : reason}`, 512))
      else env.log.debug(`disconnectPeer: no peer ${id}`)
    },

    /**
     * @param {any} scene
     * @param {boolean} seamless
     */
    hostLoadScene(scene, seamless) {
      const { uuid, name } = sceneOf(scene)
      state.leaveScene(seamless)
      if (!seamless) activeScene = null
      wanted = scene
      say('scene', uuid, cut(name, 128), seamless)
    },

    /**
     * @param {unknown} name
     * @param {number} object
     * @param {unknown} args
     * @param {number} connection
     */
    sendRpcToConnection: (name, object, args, connection) => send(name, object, args, [connection], false),

    /**
     * @param {unknown} name
     * @param {number} object
     * @param {unknown} args
     * @param {number[]} connections
     */
    sendRpcMulticast: (name, object, args, connections) => send(name, object, args, [...new Set(connections)], true),

    /**
     * @param {unknown} name
     * @param {number} object
     * @param {unknown} args
     */
    sendRpcToOwner(name, object, args) {
      const node = state.objects.get(object)
      if (!node || node.owner === 0) {
        callName(name)
        return settled((operation) => operation.fail(node ? 'no_owner' : 'no_object'))
      }
      return send(name, object, args, [node.owner], false)
    }
  }
}
