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

interface Conch {
  /** Version of these declarations. */
  readonly version: string
  readonly net: Net
}

declare var conch: Conch
declare var net: Net
