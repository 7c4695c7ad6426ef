// A client of a session: joins, resumes, and turns the host's frames into events. docs/protocol.md.

import { Error, RangeError, Set, Uint8Array, floor, max, min } from '../primitives.js'
import { createCalls, callName } from './calls.js'
import { openConnection } from './connection.js'
import { createClientScenes } from './clientscenes.js'
import { createContext } from './context.js'
import { crc32c } from './hash.js'
import { createHeart } from './heart.js'
import { createPacer } from './pacer.js'
import { createReplica } from './replica.js'
import { createOp } from './op.js'
import { idOf, playerTarget, GAME_TARGET } from './state.js'
import { bytesOf } from './stream.js'
import { cleanText, joinReason, plainCode, stopReason } from './text.js'
import { takeSeat } from './seat.js'
import { OBJECT, STATUSES, T, frameOf, parseSnapshot } from './wire.js'

/** @import { Address, Ending, Env, Frame, JoinRequest, RoleHooks } from './types.d.ts' */
/** @import { Connection } from './connection.js' */

/** How long one attempt to resume may take, in milliseconds. */
const ATTEMPT = 5000
/** How long the player may think about joining, in milliseconds. */
const ASKING = 120000
const RETRIES = [0, 250, 500, 1000, 2000]
/** Closes after which the host keeps the seat. */
const RESUMABLE = [1001, 1005, 1006, 4005, 4010]
/** too_large: later outcomes are found out here, and mean nothing from there. */
const LAST_TOLD = 8
const KINDS = ['launcher', 'browser']

/**
 * @param {Env} env
 * @param {RoleHooks} hooks
 * @param {JoinRequest} request checked
 * @param {Address} address
 */
export function createClient(env, { mail, emit, finished }, request, address) {
  const { projectId } = request
  const seat = takeSeat(env, request, address)
  let id = 0
  let sessionId = ''
  /** @type {'player' | 'spectator'} */
  let role = 'player'
  /** @type {Record<string, number>} */
  let limits = {}
  let joined = false // the first snapshot came
  let active = false // and the game knows
  let stopped = false // nothing comes from the network any more
  let over = false // and the game knows

  /** @type {Connection | null} the one that is up, or coming up */
  let connection = null
  let lostAt = 0
  let silence = false
  let attempt = 0
  let deadline = 0
  const asks = env.kind === 'launcher' // which dials within seconds, but may have to ask the player first
  let retry = 0

  /** @type {string[]} */
  let names = []
  /** @type {{ seq: number, size: number, got: number, parts: Uint8Array[] } | null} */
  let assembling = null
  let stale = false // state was thrown away
  let awaiting = true // a snapshot is on its way

  const heart = createHeart(env, {
    ping: (seq, t0) => connection?.send(T.ping, { seq, t0 }),
    silent: () => {
      silence = true
      connection?.close(4005, 'timeout')
      dropped()
    }
  })
  const pacer = createPacer(env, (frame) => connection?.write(frame))
  const calls = createCalls({ log: env.log, now: env.now, later: (run) => mail.post(run, 'always') })

  // The game's view. What follows runs in update().

  const store = {
    get sessionId() { return sessionId },
    get localConnectionId() { return id },
    writable: false,
    changed() {}
  }
  /** @type {Set<number>} objects that came before their scene was loaded, or before the game knows of the session */
  const held = new Set()
  const replica = createReplica(store, {
    appeared(object) {
      if (active && scenes.ready) say('onClientObjectReplicated', object)
      else held.add(object)
    },
    removed(object) { if (!held.delete(object)) say('onClientObjectRemoved', object) }
  })
  const scenes = createClientScenes(env, {
    say,
    sceneLoader: () => over ? undefined : context.sceneLoader,
    leave: replica.dropObjects,
    report: (body) => pacer.send({ frame: frameOf(T.loaded, body), isCall: false }),
    later: (run) => mail.post(run),
    appear: showHeld
  })
  const context = createContext({
    ids: () => ({ sessionId, projectId, buildHash: request.buildHash }),
    gameState: () => replica.gameState,
    playerState: () => replica.playerState(id),
    playerStates: replica.players,
    objects: replica.objects,
    onRpc: calls.handle,
    change: null
  })

  /**
   * @param {string} event
   * @param {unknown[]} args
   */
  function say(event, ...args) { if (!over) emit(event, ...args) }

  function start() {
    active = true
    say('onSessionStarted')
    replica.takeChanged()
    say('onClientGameStateReplicated', replica.gameState)
    if (replica.playerState(id)) say('onClientPlayerStateReplicated', replica.playerState(id))
    showHeld()
  }

  function showHeld() {
    if (!active || !scenes.ready) return
    const objects = [...held]
    held.clear()
    for (const object of objects) say('onClientObjectReplicated', object)
  }

  function resync() {
    if (awaiting || !connection) return
    awaiting = true
    pacer.send({ frame: frameOf(T.resync, { seq: max(replica.seq, 0) }), isCall: false })
  }

  /**
   * @param {Frame} call
   * @param {(status: string, value?: Uint8Array) => void} answer
   */
  function deliver({ name, args, from, object }, answer) {
    if (object !== 0 && !replica.objects.has(object)) return answer('no_object')
    calls.run(name, args, from, object, answer)
  }

  // The network.

  /** @param {boolean} resuming */
  function dial(resuming) {
    env.clearTimeout(retry)
    if (joined) {
      env.clearTimeout(deadline)
      deadline = env.setTimeout(() => {
        connection?.close(4005, 'timeout')
        lost()
      }, max(1000, min(ATTEMPT, timeLeft())))
    }
    try {
      connection = open(resuming)
    } catch (error) { // an address that this page may not connect to
      if (joined) lost()
      else finish('unreachable', error instanceof Error ? error.message : '')
    }
  }

  /** @param {boolean} resuming */
  function open(resuming) {
    return openConnection(env, {
      address,
      projectId,
      resuming,
      secret: (need) => {
        if (need === 1) return request.password === undefined ? null : request.password
        return request.joinCode || plainCode(address.code) || null
      },
      auth: () => ({
        build: request.buildHash,
        session: request.sessionId,
        name: request.playerName,
        kind: KINDS.indexOf(env.kind),
        spectator: request.asSpectator,
        userData: request.userData,
        resume: resuming && seat.token ? seat.token : new Uint8Array(0),
        loaded: scenes.lastLoaded
      }),
      onOpen() {
        if (joined || !asks) return
        env.clearTimeout(deadline)
        deadline = env.setTimeout(() => finish('timeout'), request.timeoutMs)
      },
      onWelcome: welcomed,
      onFrame: receive,
      onEnd: (ending) => ended(ending, resuming)
    })
  }

  /** @param {Frame} welcome */
  function welcomed(welcome) {
    if (joined && welcome.id !== id) throw new RangeError('another seat')
    if (welcome.id < 2) throw new RangeError('a seat that no client has')
    env.clearTimeout(deadline)
    id = welcome.id
    sessionId = welcome.session
    role = welcome.role === 1 ? 'spectator' : 'player'
    limits = welcome.limits
    names = []
    assembling = null
    stale = false
    awaiting = true
    seat.keep(welcome.token, sessionId)
    pacer.start(limits)
    heart.start(/** @type {any} */ (limits), welcome.hostMicros)
    if (joined) {
      attempt = 0
      silence = false
      mail.post(() => {
        calls.endLost()
        say('onClientConnectionResumed')
      })
    } else {
      deadline = env.setTimeout(() => finish('timeout', 'the host sent no state'), request.timeoutMs)
    }
  }

  /** @param {Frame} frame */
  function receive(frame) {
    heart.hear()
    if (mail.flooded) throw new RangeError('more than anybody can read')
    switch (frame.type) {
      case T.ping: {
        const now = floor(env.now() * 1000)
        return connection?.send(T.pong, { seq: frame.seq, t0: frame.t0, t1: now, t2: now })
      }
      case T.pong: return heart.pong(frame)
      case T.load: return mail.post(() => scenes.load(frame))
      case T.activate: return mail.post(() => scenes.activate(frame.transition))
      case T.result: {
        const at = env.now()
        const status = frame.status <= LAST_TOLD ? STATUSES[frame.status] : 'unknown'
        return mail.post(() => calls.settle(frame.call, 1, status, frame.value, at), 'keep', frame.weight)
      }
      case T.rpc: return called(frame)
      case T.relayed: {
        if (!mail.full) mail.post(() => deliver(frame, () => {}), 'call', frame.weight)
        return
      }
      default: return receiveState(frame)
    }
  }

  /** @param {Frame} call */
  function called(call) {
    const from = connection
    const answer = (/** @type {string} */ status, /** @type {Uint8Array} */ value = new Uint8Array(0)) => {
      if (call.call === 0 || !from || !from.live || from !== connection) return
      from.send(T.result, { call: call.call, status: STATUSES.indexOf(/** @type {any} */ (status)), value })
    }
    if (mail.full) return answer('queue_full')
    mail.post(() => deliver({ ...call, from: 1 }, answer), 'call', call.weight)
  }

  /** @param {Frame} frame */
  function receiveState(frame) {
    switch (frame.type) {
      case T.names:
        if (frame.base !== names.length) throw new RangeError('a gap in the table of names')
        names.push(...frame.names)
        return
      case T.snapBegin:
        assembling = { seq: frame.seq, size: frame.size, got: 0, parts: [] }
        return
      case T.snapPart:
        if (!assembling || (assembling.got += frame.data.length) > assembling.size) throw new RangeError('a part too much')
        assembling.parts.push(frame.data)
        return
      case T.snapEnd: return snapshotCame(frame.crc)
      case T.delta: {
        const changes = frame.changes.map((/** @type {any} */ c) => ({ target: c.target, fields: named(c.fields) }))
        const { prev, seq } = frame
        return postState(frame.weight, () => { if (!replica.delta({ prev, seq, changes })) resync() })
      }
      case T.spawn: {
        const entity = { ...frame.entity, fields: named(frame.entity.fields) }
        return postState(frame.weight, () => replica.spawn(entity))
      }
      case T.despawn: return postState(frame.weight, () => replica.despawn(frame.target))
      case T.owner: return postState(frame.weight, () => replica.setOwner(frame.object * 4 + OBJECT, frame.owner))
      case T.check: return postState(frame.weight, () => {
        if (!awaiting && (replica.seq !== frame.seq || replica.checksum() !== frame.crc)) resync()
      })
      default: throw new RangeError(`a host does not send frame ${frame.type}`)
    }
  }

  /** @param {any[]} fields */
  function named(fields) {
    return fields.map(({ name, removed, raw, value }) => {
      const text = names[name]
      if (text === undefined) throw new RangeError('a name that is not in the table')
      return { name: text, key: name, removed, raw, value }
    })
  }

  /** @param {number} crc */
  function snapshotCame(crc) {
    if (!assembling) throw new RangeError('the end of no snapshot')
    const { seq, size, got, parts } = assembling
    assembling = null
    const content = new Uint8Array(size)
    let at = 0
    for (const part of parts) {
      content.set(part, at)
      at += part.length
    }
    if (got !== size || crc32c(content) !== crc) throw new RangeError('a damaged snapshot')
    const entities = parseSnapshot(content).map((entity) => ({ ...entity, fields: named(entity.fields) }))
    postState(size, () => {
      awaiting = false
      replica.snapshot(seq, entities)
      if (!active) start()
      else showHeld()
    })
    if (joined || stale) return
    joined = true
    env.clearTimeout(deadline)
  }

  /**
   * @param {number} size
   * @param {() => void} run
   */
  function postState(size, run) {
    if (mail.full && !stale) {
      mail.dropState()
      stale = true
    }
    if (!stale) mail.post(run, 'state', size)
  }

  /**
   * A connection has ended by itself.
   * @param {Ending} ending
   * @param {boolean} resuming
   */
  function ended(ending, resuming) {
    if (stopped) return
    const { code, bye, reject, fault } = ending
    if (!joined) {
      if (resuming && reject === 'bad_token') {
        seat.forget()
        return dial(false)
      }
      return finish(joinReason(ending), ending.text)
    }
    if (reject) return reject === 'bad_token' || reject === 'host_stopping' ? finish(stopReason(reject, '')) : lost()
    const mayResume = fault ? ending.stage !== 'live'
      : bye ? bye === 'timeout' || bye === 'slow_consumer' : RESUMABLE.includes(code)
    if (!mayResume) return finish(stopReason(bye || fault || code, ending.text))
    if (ending.stage === 'live') dropped()
    else lost()
  }

  /** A connection that was up broke. */
  function dropped() {
    heart.stop()
    pacer.pause()
    if (!joined) return finish('unreachable')
    connection = null
    lostAt = env.now()
    calls.linkLost()
    mail.post(() => say('onClientConnectionLost'))
    attempt = 0
    lost()
  }

  /** How long the host still keeps the seat. */
  function timeLeft() { return lostAt + max(1000, min(limits.resumeMillis, 600000)) - env.now() }

  /** There is no connection: the next attempt, or the end. */
  function lost() {
    connection = null
    env.clearTimeout(deadline)
    env.clearTimeout(retry)
    const left = timeLeft()
    if (left <= 0) return finish(silence ? 'host_not_responding' : 'connection_lost')
    const wait = RETRIES[min(attempt++, RETRIES.length - 1)]
    retry = env.setTimeout(() => dial(true), min(wait, left))
  }

  const stopWake = env.onWake(() => {
    if (stopped) return
    if (connection && connection.live) heart.wake()
    else if (joined && !connection) {
      attempt = 0
      dial(true)
    }
  })

  /**
   * Nothing more will come. The game hears of it after everything before it.
   * @param {string} reason
   * @param {string} [text]
   */
  function finish(reason, text = '') {
    if (stopped) return
    stopped = true
    stopWake()
    heart.stop()
    pacer.stop()
    env.clearTimeout(deadline)
    env.clearTimeout(retry)
    connection?.close(4000, 'left')
    connection = null
    if (joined) seat.forget()
    seat.leave()
    mail.post(() => {
      over = true
      active = false
      calls.failAll(reason)
      const clean = cleanText(text)
      finished(!clean || reason.endsWith(clean) ? reason : `${reason}: ${clean}`)
      emit(joined ? 'onSessionStopped' : 'onClientJoinFailed', reason)
    }, 'always')
  }

  deadline = env.setTimeout(() => finish('timeout'), asks ? max(ASKING, request.timeoutMs) : request.timeoutMs)
  dial(seat.token !== null)

  return {
    mode: 'client',
    isAuthority: false,
    hostPort: 0,
    peers: [],
    get isSessionActive() { return active && !over },
    get localConnectionId() { return active && !over ? id : 0 },
    get localRole() { return active && !over ? role : 'none' },
    get sessionId() { return active && !over ? sessionId : '' },
    get activeScene() { return scenes.active },
    get context() { return active && !over ? context : null },
    serverTime: () => active && heart.clock.synced ? heart.clock.now(env.now()) : env.wall(),

    stop() {
      mail.discard()
      finish(joined ? 'local_stop' : 'cancelled')
      active = false
      over = true
    },

    /** After the queue was drained. */
    update() {
      if (over) return
      calls.expire()
      for (const target of replica.takeChanged()) {
        if (target === GAME_TARGET) say('onClientGameStateReplicated', replica.gameState)
        else if (target === playerTarget(id)) say('onClientPlayerStateReplicated', replica.playerState(id))
        else if (target % 4 === OBJECT && !held.has(idOf(target))) say('onClientObjectReplicated', idOf(target))
      }
      if (!stale || !connection) return
      stale = false
      awaiting = false
      resync()
    },

    /**
     * @param {any} instance
     * @param {boolean} ok
     * @param {unknown} text
     */
    notifyClientSceneLoaded(instance, ok, text) { if (!over) scenes.loaded(instance, ok, `${text}`) },

    /**
     * @param {unknown} name
     * @param {number} object
     * @param {unknown} args
     */
    sendRpcToHost(name, object, args) {
      const frame = { name: callName(name), object, args: bytesOf(args) }
      if (stopped || !active) return failed('not_connected')
      if (frame.args.length > limits.args) return done('too_large')
      if (calls.inFlight >= limits.callsInFlight) return done('queue_full')
      /** @type {import('./pacer.js').Waiting} */
      const entry = { frame: frame.args, isCall: true, sent: () => { call.sent = true } }
      const call = calls.open([1], false, () => pacer.cancel(entry))
      entry.frame = frameOf(T.rpc, { call: call.id, ...frame })
      pacer.send(entry)
      return call.operation.op
    }
  }

  /** @param {string} error */
  function failed(error) {
    const operation = createOp({ log: env.log, later: (run) => mail.post(run, 'always') })
    mail.post(() => operation.fail(error), 'always')
    return operation.op
  }

  /** @param {string} status */
  function done(status) {
    const call = calls.open([1], false, () => false)
    mail.post(() => calls.settle(call.id, 1, status), 'always')
    return call.operation.op
  }
}
