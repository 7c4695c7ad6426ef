// NetSessionManager: what a game holds. What each member promises is written in ../../conch.d.ts.

import { Array, Error, Number, Object, TypeError, WeakMap, defineProperty, max, min } from '../primitives.js'
import { DEFAULT_PORT, mayJoin, parseAddress } from './address.js'
import { createClient } from './client.js'
import { createEvent } from './event.js'
import { createHost } from './host.js'
import { createMailbox } from './mailbox.js'
import { createOp } from './op.js'
import { nobody } from './peer.js'
import { bytesOf, utf8 } from './stream.js'
import { cleanName, cleanText, plainCode } from './text.js'

/** @import { Env, JoinRequest } from './types.d.ts' */

const EVENTS = ['onHostPeerConnected', 'onHostPeerDisconnected', 'onSessionStarted', 'onSessionStopped', 'onClientJoinFailed',
  'onClientSceneLoadRequested', 'onClientSceneActivate', 'onClientGameStateReplicated', 'onClientPlayerStateReplicated',
  'onClientObjectReplicated', 'onHostSceneTransitionComplete', 'onHostPeerSceneLoadComplete', 'onHostPeerActivatedInScene',
  'onHostPeerDropped', 'onHostPeerResumed', 'onHostTransitionAborted', 'onClientConnectionLost', 'onClientConnectionResumed',
  'onClientObjectRemoved']

/** Nobody's role: what the accessors say without a session. */
const NONE = {
  mode: 'none', isAuthority: false, hostPort: 0, hostAddresses: [], joinCode: '', isSessionActive: false, localConnectionId: 0, localRole: 'none',
  sessionId: '', peers: [], activeScene: null, context: null
}

/**
 * The class, for one page.
 * @param {Env} env
 * @param {{ local: boolean, allowedHosts: readonly string[] }} rules local: only addresses of the local
 *   network and allowed hosts are joined
 */
export function createManagerClass(env, rules) {
  /** @type {WeakMap<object, any>} */
  const inner = new WeakMap()

  /** @param {object} self */
  const of = (self) => {
    const state = inner.get(self)
    if (!state) throw new TypeError('not a NetSessionManager')
    return state
  }

  class NetSessionManager {
    constructor() {
      const mail = createMailbox()
      /** @type {Record<string, (...args: unknown[]) => void>} */
      const emits = {}
      const state = {
        /** @type {any} */
        role: null,
        lastError: '',
        approval: null,
        mail,
        updating: false,
        hooks: {
          mail,
          emit: (/** @type {string} */ name, /** @type {unknown[]} */ ...args) => emits[name](...args),
          finished(/** @type {string} */ text) {
            state.lastError = text
            state.role = null
          },
          approval: () => state.approval
        }
      }
      inner.set(this, state)
      for (const name of EVENTS) {
        const { event, emit } = createEvent(name, env.log)
        emits[name] = emit
        defineProperty(this, name, { value: event, enumerable: true })
      }
    }

    get peerCount() { return (of(this).role || NONE).peers.length }
    get serverTimeEpochMs() {
      const { role } = of(this)
      return role ? role.serverTime() : env.wall()
    }

    get lastError() { return of(this).lastError }
    get connectionApprovalCallback() { return of(this).approval }
    set connectionApprovalCallback(callback) {
      if (callback !== null && callback !== undefined && typeof callback !== 'function') {
        throw new TypeError('connectionApprovalCallback is a function or null')
      }
      of(this).approval = callback || null
    }

    /**
     * @param {unknown} projectId
     * @param {unknown} sessionId
     * @param {unknown} buildHash
     * @param {unknown} [port]
     * @param {any} [options]
     */
    startHost(projectId, sessionId, buildHash, port, options = {}) {
      const state = of(this)
      const start = {
        projectId: idText('projectId', projectId), sessionId: idText('sessionId', sessionId), buildHash: idText('buildHash', buildHash),
        port: port === undefined || port === null ? null : portNumber(port), ...hostOptions(options)
      }
      if (state.role) return fail(state, 'a session is active already')
      if (!env.host) return fail(state, 'only a game that runs in Conch can host a session')
      const reply = env.host.start(start)
      if (!reply.ok) return fail(state, cleanText(`${reply.error}`))
      state.lastError = ''
      state.role = createHost(env, state.hooks, start, reply, env.host.link(reply.link))
      return true
    }

    /**
     * @param {any} request
     * @param {unknown} hostAddress
     */
    joinSession(request, hostAddress) {
      const state = of(this)
      const checked = joinRequest(request)
      if (state.role) return fail(state, 'a session is active already')
      const address = parseAddress(hostAddress)
      if (!address) return fail(state, `'${cleanText(`${hostAddress}`).slice(0, 100)}' is not the address of a host; write host:${DEFAULT_PORT}`)
      if (rules.local && !mayJoin(address, rules.allowedHosts)) {
        return fail(state, `${address.text} is not on the local network; ` +
          'add it to Network > Allowed hosts (network.allowedHosts in conch.json)')
      }
      state.lastError = ''
      state.role = createClient(env, state.hooks, checked, address)
      return true
    }

    stop() {
      const { role } = of(this)
      if (role) role.stop()
    }

    /** @param {unknown} [_deltaTime] no time of a session comes from frames */
    update(_deltaTime) {
      const state = of(this)
      if (state.updating) return
      state.updating = true
      try {
        if (state.role?.beforeUpdate) state.role.beforeUpdate()
        state.mail.drain()
        if (state.role) state.role.update()
      } finally {
        state.updating = false
      }
    }

    /** @param {unknown} connectionId */
    getPeerForConnection(connectionId) {
      const { role } = of(this)
      return (role && role.peer && role.peer(connectionId)) || nobody()
    }

    /**
     * @param {unknown} connectionId
     * @param {unknown} reason
     */
    disconnectPeer(connectionId, reason) {
      need(of(this), 'disconnectPeer').disconnectPeer(connectionId, reason)
    }

    /**
     * @param {unknown} scene
     * @param {unknown} [seamless]
     */
    hostLoadScene(scene, seamless = false) {
      need(of(this), 'hostLoadScene').hostLoadScene(scene, Boolean(seamless))
    }

    /**
     * @param {unknown} loadedScene
     * @param {unknown} [success]
     * @param {unknown} [errorMessage]
     */
    notifyClientSceneLoaded(loadedScene, success = true, errorMessage = '') {
      const { role } = of(this)
      if (!role || !role.notifyClientSceneLoaded) throw new Error('notifyClientSceneLoaded: only a client of a session calls it')
      role.notifyClientSceneLoaded(loadedScene, Boolean(success), errorMessage)
    }

    /**
     * @param {unknown} rpcName
     * @param {unknown} rpcObjectId
     * @param {unknown} rpcArgs
     */
    sendRpcToHost(rpcName, rpcObjectId, rpcArgs) {
      return send(of(this), 'sendRpcToHost', 'not_client', [rpcName, objectId(rpcObjectId), rpcArgs])
    }

    /**
     * @param {unknown} rpcName
     * @param {unknown} rpcObjectId
     * @param {unknown} rpcArgs
     * @param {unknown} connectionId
     */
    sendRpcToConnection(rpcName, rpcObjectId, rpcArgs, connectionId) {
      return send(of(this), 'sendRpcToConnection', 'not_host', [rpcName, objectId(rpcObjectId), rpcArgs, whole(connectionId, 'connectionId')])
    }

    /**
     * @param {unknown} rpcName
     * @param {unknown} rpcObjectId
     * @param {unknown} rpcArgs
     */
    sendRpcToOwner(rpcName, rpcObjectId, rpcArgs) {
      return send(of(this), 'sendRpcToOwner', 'not_host', [rpcName, objectId(rpcObjectId), rpcArgs])
    }

    /**
     * @param {unknown} rpcName
     * @param {unknown} rpcObjectId
     * @param {unknown} rpcArgs
     * @param {unknown} connectionIds
     */
    sendRpcMulticast(rpcName, rpcObjectId, rpcArgs, connectionIds) {
      if (!Array.isArray(connectionIds)) throw new TypeError('sendRpcMulticast: connectionIds is a list')
      const ids = connectionIds.map((id) => whole(id, 'a connection id'))
      return send(of(this), 'sendRpcMulticast', 'not_host', [rpcName, objectId(rpcObjectId), rpcArgs, ids])
    }
  }

  // The rest of the accessors say what the role says.
  for (const name of Object.keys(NONE)) {
    defineProperty(NetSessionManager.prototype, name, {
      get() {
        const role = of(this).role || NONE
        return name === 'joinCode' ? role.joinCode || '' : name === 'peers' || name === 'hostAddresses' ? [...(role[name] || [])] : role[name]
      },
      configurable: true
    })
  }
  defineProperty(NetSessionManager, 'name', { value: 'NetSessionManager', configurable: true })
  return NetSessionManager

  /**
   * A call through the role, or one that fails in the next update.
   * @param {any} state
   * @param {string} method
   * @param {string} otherwise
   * @param {any[]} args
   */
  function send(state, method, otherwise, args) {
    bytesOf(args[2])
    if (state.role && state.role[method]) return state.role[method](...args)
    const operation = createOp({ log: env.log, later: (run) => state.mail.post(run, 'always') })
    state.mail.post(() => operation.fail(state.role ? otherwise : 'not_connected'), 'always')
    return operation.op
  }
}

/**
 * @param {any} state
 * @param {string} error
 */
function fail(state, error) {
  state.lastError = error
  return false
}

/**
 * @param {any} state
 * @param {string} method
 */
function need(state, method) {
  if (!state.role || !state.role.isAuthority) throw new Error(`${method}: only the session host calls it`)
  return state.role
}

/**
 * @param {string} what
 * @param {unknown} value
 */
function idText(what, value) {
  if (typeof value === 'string' && /^[A-Za-z0-9._:+-]{1,128}$/.test(value)) return value
  throw new TypeError(`${what} has 1 to 128 of the characters A-Z a-z 0-9 . _ : + -`)
}

/**
 * @param {unknown} value
 * @param {string} what
 */
function whole(value, what) {
  if (Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0) return /** @type {number} */ (value)
  throw new TypeError(`${what} is a whole number, not ${value}`)
}

/** @param {unknown} value */
function objectId(value) {
  return whole(value, 'the id of an object')
}

/** @param {unknown} port */
function portNumber(port) {
  if (Number.isInteger(port) && /** @type {number} */ (port) >= 0 && /** @type {number} */ (port) <= 65535) return /** @type {number} */ (port)
  throw new TypeError(`startHost: the port is a whole number from 0 to 65535, not ${port}`)
}

/** @param {any} options */
function hostOptions({ password, open, maxPeers, anyBuild, origins }) {
  /** @type {Record<string, unknown>} */
  const checked = {}
  if (password !== undefined) checked.password = `${password}`
  if (open !== undefined) checked.open = Boolean(open)
  if (maxPeers !== undefined) checked.maxPeers = whole(maxPeers, 'maxPeers')
  if (anyBuild !== undefined) checked.anyBuild = Boolean(anyBuild)
  if (origins !== undefined) {
    if (!Array.isArray(origins)) throw new TypeError('startHost: origins is a list')
    checked.origins = origins.map((origin) => `${origin}`)
  }
  return checked
}

/**
 * @param {any} request
 * @returns {JoinRequest}
 */
function joinRequest(request) {
  if (request === null || typeof request !== 'object') throw new TypeError('joinSession: the request is an object with projectId and buildHash')
  const { projectId, buildHash, sessionId, playerName = '', password, joinCode = '', asSpectator, userData, timeoutMs = 10000 } = request
  const data = bytesOf(userData).slice()
  if (data.length > 4096) throw new TypeError(`joinSession: userData has ${data.length} bytes, at most 4096 are sent`)
  if (password !== undefined && utf8(`${password}`).length > 1024) throw new TypeError('joinSession: the password is longer than 1024 bytes')
  return {
    projectId: idText('projectId', projectId),
    buildHash: idText('buildHash', buildHash),
    sessionId: sessionId === undefined || sessionId === '' ? '' : idText('sessionId', sessionId),
    playerName: cleanName(playerName),
    password: password === undefined ? undefined : `${password}`,
    joinCode: plainCode(`${joinCode}`),
    asSpectator: Boolean(asSpectator),
    userData: data,
    timeoutMs: Number.isFinite(timeoutMs) ? min(max(timeoutMs, 1000), 60000) : 10000
  }
}
