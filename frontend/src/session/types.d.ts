// Types shared by the modules of the session. What a game sees is in ../../conch.d.ts.

export interface SessionLog {
  error(text: string, ...rest: unknown[]): void
  note(text: string): void
  /** Only written in debug mode. */
  debug(text: string): void
}

/** The game's end of a call and the two ways in which it ends. Both do nothing when it has ended. */
export interface Operation {
  op: any
  succeed(result: unknown): void
  fail(error: string): void
}

/** A frame as it was read: its type, the length of its body, and the fields of that type. */
export type Frame = { type: number, weight: number } & Record<string, any>

/** One field of state on the wire. raw is the value as it was sent, which is what checksums are made of. */
export interface Field {
  /** Position in the connection's table of names. */
  name: number
  removed: boolean
  raw: Uint8Array
  value: any
}

/** A whole GameState, PlayerState or object on the wire. */
export interface Entity {
  target: number
  class: string
  owner: number
  persistent: boolean
  fields: Field[]
}

/** One entity of state: what is replicated of it, and what the game sees. */
export interface Node {
  readonly target: number
  typeName: string
  owner: number
  persistent: boolean
  fields: Map<string, { key: number, raw: Uint8Array, value: any }>
  view: any
}

/** What a node asks of the session that it belongs to. */
export interface Store {
  readonly sessionId: string
  readonly localConnectionId: number
  readonly writable: boolean
  /** A field was written; raw is null when it was removed. */
  changed(node: Node, name: string, raw: Uint8Array | null): void
}

/** Where a host is. */
export interface Address {
  /** The name or address, as a URL writes it. */
  host: string
  port: number
  secure: boolean
  /** host:port, for people. */
  text: string
  /** The code in an invite, '' when there is none. */
  code: string
}

/** A WebSocket, or what stands for one. */
export interface Transport {
  /** Does nothing while it is not open. */
  send(data: Uint8Array): void
  /** Does nothing when it is closed. */
  close(code: number, reason: string): void
  readonly bufferedAmount: number
  onopen: (() => void) | null
  onmessage: ((data: ArrayBuffer | string) => void) | null
  /** Once, at the end, also when it never opened: then the code is 1006. */
  onclose: ((code: number, reason: string) => void) | null
}

/** What a session needs of the world around it. */
export interface Env {
  /** Throws only for an address that the browser does not connect to. */
  connect(address: Address, options: { projectId: string }): Transport
  /** Milliseconds on a clock that nobody sets. */
  now(): number
  /** Milliseconds since 1970. */
  wall(): number
  random(length: number): Uint8Array
  setTimeout(run: () => void, ms: number): number
  clearTimeout(timer: number): void
  /** sessionStorage; null means nothing is kept. */
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null
  /** The places of seats that clients of this page have. */
  places: Set<string>
  log: SessionLog
  kind: 'launcher' | 'browser'
  /** Calls run when the page may have been asleep or away from the network; answers how to stop. */
  onWake(run: () => void): () => void
  /** The way to the host in the launcher; null where there is none. */
  host: { start(start: HostStart): HostReply, link(name: string): Transport } | null
}

/** How a connection to a host ended. */
export interface Ending {
  /** Where it was. */
  stage?: 'dial' | 'hello' | 'auth' | 'live' | 'ended'
  /** WebSocket close code; 0 when it was ended here. */
  code: number
  reason?: string
  /** The code of the host's Bye. */
  bye?: string
  /** The code of the host's Reject. */
  reject?: string
  /** What the other side did wrong. */
  fault?: string
  text: string
  retryAfter?: number
}

/** A join request that was checked and completed. */
export interface JoinRequest {
  projectId: string
  buildHash: string
  /** '' means any. */
  sessionId: string
  playerName: string
  password: string | undefined
  joinCode: string
  asSpectator: boolean
  userData: Uint8Array
  timeoutMs: number
}

/** What a role does to its manager. */
export interface RoleHooks {
  mail: import('./mailbox.js').Mailbox
  emit(event: string, ...args: unknown[]): void
  /** The session is over; text is for lastError. */
  finished(text: string): void
}

/** How the session host's page changes the session. */
export interface Change {
  spawn(type: unknown, props: unknown, options: any): any
  despawn(id: unknown): void
  setOwner(id: unknown, connection: unknown): void
}

/** What startHost asks of the launcher. */
export interface HostStart {
  projectId: string
  sessionId: string
  buildHash: string
  /** null: the usual ports. */
  port: number | null
  password?: string
  open?: boolean
  maxPeers?: number
  anyBuild?: boolean
  origins?: string[]
}

/** What the launcher answers. */
export interface HostReply {
  ok: boolean
  /** Why not, for people. */
  error: string
  port: number
  joinCode: string
  dedicated: boolean
  maxArgs: number
  hostMicros: number
  /** Which link belongs to this host. */
  link: string
}
