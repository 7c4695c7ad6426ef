// What a game finds in every page, frame and worker that Conch opens.
//
// Add this file to a project (`/// <reference path="conch.d.ts" />`) to have it checked and completed by an editor.
// `net` is the same object as `conch.net`. A game may declare a `net` of its own in any way, and then says `conch.net`.

/**
 * Sockets to servers of the game's author.
 *
 * Where a runtime has none, `isAvailable()` answers false, and `connect` and `allowedHosts` throw one message
 * (a `NotSupportedError`): "net: sockets work in standalone builds, the editor play-test, and Galatrix rooms of games
 * published by admins (client scripts only)".
 */
interface NetSockets {
  /**
   * Opens a socket. It is still connecting when this returns; handlers may be set until the current task ends.
   *
   * Throws only for what the author has to correct; the message says what to write or which setting to change:
   * - `NotSupportedError`: this runtime has no sockets
   * - `SyntaxError`: not a URL, a fragment, a user name or password in it, a scheme other than `wss://`
   *   (`ws://` goes to localhost, 127.0.0.1 and [::1] only), a bad subprotocol
   * - `SecurityError`: a host that Network > Allowed hosts does not name, while Allow any host is off
   * - `TypeError`: options that are not an object
   * - `InvalidStateError`: the owner was released
   *
   * Everything else, a player who says no included, comes through `onError` and then `onClose`.
   */
  connect(url: string | URL, options?: NetConnectOptions): NetSocket

  /** Whether this runtime can open sockets at all. */
  isAvailable(): boolean

  /** A copy of the host list, as Network > Allowed hosts writes it. */
  allowedHosts(): string[]
}

/**
 * `net` itself. Its sockets belong to the page ("game" in the console) and are closed by `sceneChanged`. A connection
 * that is to stay from the lobby into the match belongs to a persistent owner.
 */
interface Net extends NetSockets {
  /**
   * The same namespace, bound to one script instance. Works where sockets are not available too, so that the
   * instance can ask `isAvailable()`.
   * @param label who opened a socket, for the console; at most 100 characters are kept
   */
  forOwner(label: string, options?: NetOwnerOptions): OwnedNet

  /** Another scene was loaded: closes the sockets of `net` and of every owner that is not persistent. */
  sceneChanged(): void
}

interface OwnedNet extends NetSockets {
  readonly label: string
  readonly persistent: boolean
  /**
   * The instance is gone: closes its sockets. None of their handlers runs any more, `onClose` included. `connect`
   * throws from here on.
   */
  release(): void
}

interface NetConnectOptions {
  /** Subprotocols to offer. `socket.protocol` is the one that the server chose. */
  protocols?: string | string[]
}

interface NetOwnerOptions {
  /** Keeps its sockets across `sceneChanged`, as a DontDestroyOnLoad entity does. Default false. */
  persistent?: boolean
}

/**
 * One socket. Handlers are called directly, when the browser delivers, also while the window is hidden. A throw in one
 * is written to the console and the socket stays open.
 */
interface NetSocket {
  /** The connection is open. */
  onOpen: (() => void) | null

  /** One frame: an ArrayBuffer, as the browser handed it over, for a binary frame, a string for a text frame. */
  onMessage: ((data: ArrayBuffer | string) => void) | null

  /**
   * The connection ended, after `onError` if something went wrong. 1000 is a normal close, 1005 one without a code,
   * 1006 one without a close frame; reason is what the other side sent. Does not run for a socket that its owner's
   * `release` or `sceneChanged` closed.
   */
  onClose: ((code: number, reason: string, wasClean: boolean) => void) | null

  /**
   * Something went wrong: the connection could not be made, was refused, or broke. The message is for people.
   * `onClose` follows. Does not run after the game's own `close`.
   */
  onError: ((message: string) => void) | null

  /**
   * Sends one frame, without a copy: reuse the buffer of a typed array only after the call returns. A view sends
   * exactly its own part of its buffer. Throws an `InvalidStateError` when the socket is not open, a `TypeError` for
   * anything else than these types.
   */
  send(data: string | ArrayBuffer | ArrayBufferView): void

  /**
   * Closes. The code is 1000 or 3000 to 4999 (else `InvalidAccessError`), the reason at most 123 bytes of UTF-8 (else
   * `SyntaxError`). Default: 1000 without a reason. Does nothing when the socket is closing or closed.
   */
  close(code?: number, reason?: string): void

  readonly readyState: 'connecting' | 'open' | 'closing' | 'closed'

  /** Bytes queued by `send` and not yet handed to the network. */
  readonly bufferedAmount: number

  /** The URL, in the browser's spelling. */
  readonly url: string

  /** The subprotocol that the server chose, '' before the socket is open and when there is none. */
  readonly protocol: string
}

/** What replicated state holds. */
type NetValue = null | boolean | number | string | Uint8Array | readonly NetValue[] | { readonly [name: string]: NetValue }

/**
 * Subscribers of one thing that happens. They run in `update()`, in the order in which they were added; one that throws is
 * written to the console and the others still run. They may do anything, also add, remove and `stop()`.
 */
interface NetEvent<A extends unknown[]> {
  /** The same function twice runs once. Returns what removes it. */
  add(listener: (...args: A) => void): () => void
  /** Runs at most once. */
  once(listener: (...args: A) => void): () => void
  /** Whether it was there. */
  remove(listener: (...args: A) => void): boolean
  clear(): void
  readonly count: number
}

/**
 * The outcome of a call, which may not be known yet. It fails when nothing was sent or the session ended, and succeeds with
 * a status when the other side, or this one, found out what became of it. It is settled in `update()`. `await` gives the
 * result or throws an Error whose message is `error`; a failure that nobody looks at is no unhandled rejection.
 */
interface UncertainAsyncOp<T, E> extends PromiseLike<T> {
  readonly state: 'pending' | 'succeeded' | 'failed'
  readonly result: T | undefined
  readonly error: E | undefined
  /** Runs once; for an op that is settled already, in the next update. */
  onDone(listener: (op: UncertainAsyncOp<T, E>) => void): this
  /** Takes the call back. True only if nothing of it has left this computer. */
  cancel(): boolean
}

/**
 * - `ok`: it ran, `value` is its reply
 * - `no_handler`, `handler_threw`, `rejected`: the other side has no such function, it threw, it refused
 * - `no_object`, `not_owner`: there is no such object, or the caller does not own it
 * - `too_large`, `rate_limited`, `queue_full`: more than is taken; the connection goes on
 * - `peer_gone`, `not_ready`: the connection is not in the session, or was still loading a scene when time was up
 * - `timeout`: no answer in 10 s
 * - `unknown`: the connection broke; it may or may not have run, and is never sent again
 */
type RpcStatus = 'ok' | 'no_handler' | 'handler_threw' | 'no_object' | 'not_owner' | 'rejected' | 'rate_limited' | 'queue_full' |
  'too_large' | 'peer_gone' | 'not_ready' | 'no_owner' | 'timeout' | 'unknown'

interface RpcCallResult {
  readonly callId: number
  readonly connectionId: number
  readonly rttMs: number
  readonly status: RpcStatus
  readonly value?: DataStream
}

/**
 * Bytes with a cursor: little endian, varints in their shortest form, text as UTF-8 with its length in front. At most 1 MiB.
 * Reading past the end throws a RangeError, text that is not UTF-8 a TypeError.
 */
interface DataStream {
  writeU8(value: number): void
  writeI8(value: number): void
  writeU16(value: number): void
  writeI16(value: number): void
  writeU32(value: number): void
  writeI32(value: number): void
  writeF32(value: number): void
  writeF64(value: number): void
  writeBool(value: boolean): void
  /** 0 to 2^53-1, in one to eight bytes. */
  writeVarU(value: number): void
  writeVarI(value: number): void
  writeString(value: string): void
  /** With their length in front. */
  writeBytes(value: ArrayBuffer | ArrayBufferView | DataStream): void
  /** Without it. */
  writeRaw(value: ArrayBuffer | ArrayBufferView | DataStream): void
  readU8(): number
  readI8(): number
  readU16(): number
  readI16(): number
  readU32(): number
  readI32(): number
  readF32(): number
  readF64(): number
  readBool(): boolean
  readVarU(): number
  readVarI(): number
  readString(): string
  readBytes(): Uint8Array
  /** The next `count` bytes, not copied. */
  readRaw(count: number): Uint8Array
  readonly length: number
  position: number
  toUint8Array(): Uint8Array
}

interface DataStreamConstructor {
  new (): DataStream
  /** A stream over a copy of these bytes, at their start. */
  from(source: ArrayBuffer | ArrayBufferView): DataStream
}

/** A peer at one moment: frozen, never updated. */
interface NetPeerInfo {
  /** False for the answer about a peer that is not there. */
  readonly isValid: boolean
  /** 1 is the host, clients have 2 and above, never used twice in a session. 0: none. */
  readonly connectionId: number
  readonly state: 'connected' | 'loading' | 'loaded' | 'active' | 'stale' | 'reconnecting' | 'gone'
  readonly role: 'player' | 'spectator'
  /** At most 32 characters, none of them invisible. Names are not unique. */
  readonly playerName: string
  readonly clientKind: 'launcher' | 'browser' | 'bot'
  readonly joinedAtEpochMs: number
  readonly rttMs: number
  readonly jitterMs: number
  /** The last scene transition that it was activated in. */
  readonly transitionId: number
  readonly remoteAddress: string
  /** What its join request carried. */
  readonly userData: Uint8Array
  readonly stats: {
    readonly bytesIn: number, readonly bytesOut: number, readonly queuedBytes: number, readonly droppedRpcs: number
  }
}

interface NetJoinRequest {
  /** 1 to 128 of A-Z a-z 0-9 . _ : + - , the same at the host. */
  projectId: string
  /** As projectId; the host refuses others unless it says `anyBuild`. */
  buildHash: string
  /** When given, the host's must be the same. */
  sessionId?: string
  playerName?: string
  /** Proved to the host, never sent. */
  password?: string
  /** Spaces, dashes and case do not matter. */
  joinCode?: string
  asSpectator?: boolean
  /** At most 4096 bytes, for the host's script. */
  userData?: ArrayBuffer | ArrayBufferView | DataStream
  /** For dial, handshake and approval together: 1000 to 60000, default 10000. */
  timeoutMs?: number
}

interface NetApprovalRequest {
  readonly projectId: string
  readonly buildHash: string
  readonly buildMatches: boolean
  readonly sessionId: string
  readonly playerName: string
  readonly asSpectator: boolean
  readonly userData: Uint8Array
  /** Tells requests apart; not the id that the connection will have. */
  readonly provisionalConnectionId: number
  readonly remoteAddress: string
  readonly clientKind: NetPeerInfo['clientKind']
  /** Aborts when the client left, the time is over, or the session stops. */
  readonly signal: AbortSignal
}

/** Everything but `true` and `approved: true` refuses. The reason is told to the client. */
type NetApprovalDecision = boolean | {
  approved: boolean
  reason?: string
  role?: 'player' | 'spectator'
  /** The first PlayerState of the connection. */
  playerState?: NetResource | { [name: string]: NetValue }
}

interface NetHostOptions {
  /** Asked of those who join, instead of a code. */
  password?: string
  /** Ask nothing when there is no password. Default false: a join code is made. */
  open?: boolean
  /** Default 16. */
  maxPeers?: number
  /** Let other builds in; the approval callback sees `buildMatches`. */
  anyBuild?: boolean
  /**
   * Web pages that may join, as `https://play.example.org`. Others that a browser has open are refused, so that no page
   * of the internet reaches into the network; the launcher's clients and native programs need none.
   */
  origins?: string[]
}

/**
 * Named values that the session host writes and everybody reads. A name is replicated as a whole; a path leads into its
 * value: `set('pos', { x: 1 })`, then `get('pos.x')` and `set('pos.x', 2)`. What `get` returns is frozen.
 */
interface NetResource {
  readonly uuid: string
  readonly typeName: string
  get(path: string): NetValue | undefined
  /** Session host only. The value is copied; `undefined` removes. Throws a TypeError for what state cannot hold. */
  set(path: string, value: NetValue | undefined): void
  names(): string[]
}

/** A replicated object. */
interface NetObject extends NetResource {
  readonly netObjectId: number
  /** A connection id; 0: nobody. */
  readonly owner: number
  /** Survives seamless transitions. */
  readonly persistent: boolean
  readonly isMine: boolean
}

interface NetScene {
  readonly uuid: string
  readonly name: string
}

interface NetResourceHandle<T> extends NetScene {
  readonly loaded: boolean
  load(): Promise<T>
}

interface NetSceneInstance {
  readonly instanceId: string
  readonly scene: NetScene
  readonly transitionId: number
}

/** A session from inside. After its end it tells the last values, and writes throw. */
interface NetSessionContext {
  readonly sessionId: string
  readonly projectId: string
  readonly buildHash: string
  readonly gameState: NetResource
  /** The own one; null on the host. */
  readonly playerState: NetResource | null
  readonly playerStates: ReadonlyMap<number, NetResource>
  readonly objects: ReadonlyMap<number, NetObject>
  /** Session host only. The object is there at once. */
  spawn(type: string, props?: { [name: string]: NetValue }, options?: {
    owner?: number
    persistent?: boolean
    /** Goes when its owner leaves; otherwise it becomes the host's. */
    despawnWithOwner?: boolean
    /** Only its owner sees it: a hand of cards. */
    private?: boolean
  }): NetObject
  despawn(id: number): void
  setOwner(id: number, connectionId: number): void
  /**
   * A function that others call by name; a later one takes the place of an earlier. objectId 0 is the session. On an object
   * only its owner calls the host's functions, unless `anyone` is set. What it returns, or its promise, is the reply.
   * Returns what removes it.
   */
  onRpc(name: string, handler: (args: DataStream, from: number, objectId: number) => NetReply | Promise<NetReply>,
    options?: { anyone?: boolean }): () => void
  /** Loads scenes, and reports them: `notifyClientSceneLoaded` is then not needed. */
  sceneLoader: ((scene: NetScene, seamless: boolean) => Promise<object | void> | object | void) | undefined
}

/** At most 64 KiB. */
type NetReply = DataStream | ArrayBuffer | ArrayBufferView | void

/**
 * Hosts or joins a multiplayer session. Call `update` every frame: everything happens in it, in order, and nothing else
 * than `onDone` and awaited outcomes depends on it. The link itself lives while a window is hidden.
 *
 * Hosting works in Conch; joining works in a plain browser too, with dist/session.js.
 */
interface NetSessionManager {
  /** The scene that is played; null before the first and during a transition that keeps nothing. */
  readonly activeScene: NetSceneInstance | null
  /**
   * Decides about those who passed every other check; null lets them in. It may take 10 s. A throw refuses. Runs in
   * `update()`, and while the page has no frames when it is asked.
   */
  connectionApprovalCallback: ((request: NetApprovalRequest) => NetApprovalDecision | Promise<NetApprovalDecision>) | null
  /** null without a session. */
  readonly context: NetSessionContext | null
  /** The port that this host listens on; 0 when not hosting. */
  readonly hostPort: number
  /** What players type to join this host; '' when there is a password, when nothing is asked, and when not hosting. */
  readonly joinCode: string
  /**
   * Where people on the network reach this host, as `host:port`. Empty until the player has let them in, and when not
   * hosting. Host only: a new list.
   */
  readonly hostAddresses: string[]
  /** Hosting, until `onSessionStopped`. */
  readonly isAuthority: boolean
  /** Hosting or joined; also while a broken connection may come back. */
  readonly isSessionActive: boolean
  /** 1 on the host, 2 and above on clients, 0 without a session. */
  readonly localConnectionId: number
  readonly localRole: 'none' | 'authority' | 'player' | 'spectator'
  readonly mode: 'none' | 'host' | 'dedicated' | 'client'
  /** Host only: connected peers, those that may come back included. */
  readonly peerCount: number
  /** Host only: a new list, by id. */
  readonly peers: NetPeerInfo[]
  /** The session's clock. It never goes back, but for a step that is written to the console. `Date.now()` without one. */
  readonly serverTimeEpochMs: number
  readonly sessionId: string
  /** Why startHost or joinSession answered false, or how the last session ended, for people. */
  readonly lastError: string

  /** Ends a peer's connection for good; the reason, at most 512 bytes, is told to it. Host only. */
  disconnectPeer(connectionId: number, reason: string): void
  /** Never null: see `isValid`. Host only. */
  getPeerForConnection(connectionId: number): NetPeerInfo
  /**
   * Takes everybody into a scene: it is loaded here and by every peer, and activated when all have it, at the latest after
   * 30 s. Objects go, with seamless those that are not persistent. In place of a transition that runs. Host only.
   */
  hostLoadScene(scene: NetScene | NetResourceHandle<NetScene>, seamless?: boolean): void
  /**
   * Starts to join: `host`, `host:port`, `[v6]:port`, `ws://…`, `wss://…` or an invite. False, with `lastError`, for an
   * address that is none, one that is neither on the local network nor an allowed host, or when a session is there already.
   * After true comes exactly one of `onSessionStarted` and `onClientJoinFailed`. Throws a TypeError for a bad request.
   */
  joinSession(request: NetJoinRequest, hostAddress: string): boolean
  /** Reports the scene of `onClientSceneLoadRequested`; its transitionId says which. Client only. */
  notifyClientSceneLoaded(loadedScene: Pick<NetSceneInstance, 'transitionId'>, success?: boolean, errorMessage?: string): void
  /** Host only. Twice the same connection is once; [] succeeds with []. */
  sendRpcMulticast(rpcName: string, rpcObjectId: number, rpcArgs: NetReply | null, connectionIds: number[]):
    UncertainAsyncOp<readonly RpcCallResult[], string>
  /** Host only. To 1 it runs here, in the next update. */
  sendRpcToConnection(rpcName: string, rpcObjectId: number, rpcArgs: NetReply | null, connectionId: number):
    UncertainAsyncOp<RpcCallResult, string>
  /** Client only. */
  sendRpcToHost(rpcName: string, rpcObjectId: number, rpcArgs: NetReply | null): UncertainAsyncOp<RpcCallResult, string>
  /** Host only. Fails with `no_owner` for an object that has none. */
  sendRpcToOwner(rpcName: string, objectId: number, rpcArgs: NetReply | null): UncertainAsyncOp<RpcCallResult, string>
  /**
   * Opens a session. True once the port is bound; `onSessionStarted` follows. Without a port: 24642, the next nine, or any
   * free one; 0: any. False, with `lastError`: a session is there already, the port is taken, the player did not allow it,
   * or this page is not in Conch. Throws a TypeError for ids that are none (see NetJoinRequest.projectId) and bad ports.
   */
  startHost(projectId: string, sessionId: string, buildHash: string, port?: number, options?: NetHostOptions): boolean
  /** Ends the session, in any state; `onSessionStopped` (while joining: `onClientJoinFailed`) follows. */
  stop(): void
  /** Hands over what happened since the last call. The argument is not used for any time of the session. */
  update(deltaTime: number): void

  /** Host: set up `context.playerStates.get(id)` here, it is in the first thing that the peer sees. */
  readonly onHostPeerConnected: NetEvent<[peerInfo: NetPeerInfo]>
  /** Host: once for each connected peer, after the time for coming back. */
  readonly onHostPeerDisconnected: NetEvent<[connectionId: number, reason: string]>
  /** Once, first. On a client the states are readable. */
  readonly onSessionStarted: NetEvent<[]>
  /**
   * Once, last: local_stop, host_stopped, `kicked: …`, connection_lost, host_not_responding, replaced, protocol_error,
   * rate_limited, `scene_load_failed: …`, scene_load_timeout.
   */
  readonly onSessionStopped: NetEvent<[reason: string]>
  /**
   * Instead of `onSessionStarted`: unreachable, timeout, not_a_host, protocol_version, wrong_project, wrong_session,
   * `build_mismatch: …`, bad_password, bad_code, full, `refused: …`, approval_timeout, approval_error, host_stopping,
   * rate_limited, cancelled.
   */
  readonly onClientJoinFailed: NetEvent<[reason: string]>
  /** Load this scene, then call `notifyClientSceneLoaded`; with `context.sceneLoader` both happen by themselves. */
  readonly onClientSceneLoadRequested: NetEvent<[sceneUUID: string, sceneName: string, seamless: boolean, transitionId: number]>
  readonly onClientSceneActivate: NetEvent<[transitionId: number]>
  /** Its first value, then at most once per update. */
  readonly onClientGameStateReplicated: NetEvent<[gameState: NetResource]>
  readonly onClientPlayerStateReplicated: NetEvent<[playerState: NetResource]>
  /** An object appeared or changed. */
  readonly onClientObjectReplicated: NetEvent<[netObjectId: number]>
  readonly onHostSceneTransitionComplete: NetEvent<[transitionId: number]>
  readonly onHostPeerSceneLoadComplete: NetEvent<[connectionId: number]>
  readonly onHostPeerActivatedInScene: NetEvent<[connectionId: number]>

  /** Host: a peer's connection broke; it may come back within 20 s. */
  readonly onHostPeerDropped: NetEvent<[connectionId: number]>
  readonly onHostPeerResumed: NetEvent<[connectionId: number]>
  /** Host: the scene could not be loaded here; the one before comes back. */
  readonly onHostTransitionAborted: NetEvent<[transitionId: number, reason: string]>
  /** The connection to the host broke and is being made again. */
  readonly onClientConnectionLost: NetEvent<[]>
  readonly onClientConnectionResumed: NetEvent<[]>
  readonly onClientObjectRemoved: NetEvent<[netObjectId: number]>
}

/** In games with sessions (and where dist/session.js was loaded), in documents only. */
interface ConchSessions {
  readonly NetSessionManager: new (isInternalConstructor?: boolean) => NetSessionManager
  readonly DataStream: DataStreamConstructor
  readonly NetSessionMode: { readonly None: 'none', readonly Host: 'host', readonly Dedicated: 'dedicated', readonly Client: 'client' }
  readonly NetRole: { readonly None: 'none', readonly Authority: 'authority', readonly Player: 'player', readonly Spectator: 'spectator' }
}

interface Conch extends ConchSessions {
  /** Version of these declarations. */
  readonly version: string
  readonly net: Net
}

declare var conch: Conch
declare var net: Net
declare var NetSessionManager: ConchSessions['NetSessionManager']
