// Types shared by the modules of the page script. What a game sees is in ../conch.d.ts.

/** What the launcher puts in place of the token in the built script. */
export interface Config {
  /** Loopback ports of the relay. Empty: the browser connects by itself. */
  relayPorts: number[]
  /** Whether this runtime has sockets at all. */
  available: boolean
  /** One of the names in policy.js. */
  context: string
  /** Patterns as the manifest lists them, comments dropped. */
  allowedHosts: string[]
  allowAnyHost: boolean
  /** One console line per connection, refusal and close. */
  debug: boolean
  /** http://127.0.0.1:PORT, the game's own server. */
  ownOrigin: string
  /** Path prefixes of the game's own server that lead to a remote one. */
  proxyPrefixes: string[]
  /** Saves to put back before the game runs. */
  restore: Record<string, string> | null
  /** Whether the launcher keeps a copy of localStorage. */
  shadow: boolean
  /** The session script follows: leave it what it needs of the page as it was. */
  session?: boolean
  /** The author's play-test: console to the terminal, reload on change. */
  dev?: boolean
}

/** One line of the host list, taken apart. */
export interface Pattern {
  host: string
  /** 0: any port. */
  port: number
  /** Subdomains of host, not host itself. */
  wildcard: boolean
}

/** The rules for sockets, as far as a page can know them. Every method answers '' for "go on". */
export interface Policy {
  readonly available: boolean
  /** Why net.connect throws for the scheme of this URL. */
  scheme(url: URL): string
  /** Why nobody allowed this host; '' also when the launcher may still ask the player. */
  host(url: URL): string
  /** Why a WebSocket of the game's own to this URL will be refused. */
  raw(url: URL): string
  /** Whether a game's ws:// URL to a remote host is tried as wss://. */
  upgraded(url: URL): boolean
}

/** The way to the launcher's relay. */
export interface Relay {
  /** Where to connect so that the relay reaches url, and the name of the attempt. */
  address(url: URL, owner: string, raw: boolean): { id: string, href: string }
  /** Why an attempt failed, '' when the launcher has nothing to say. Never rejects. */
  reason(id: string): Promise<string>
}

/** The console, labelled. */
export interface Log {
  readonly debugging: boolean
  error(owner: string, ...rest: unknown[]): void
  note(owner: string, text: string): void
  /** Only written in debug mode. */
  debug(owner: string, text: string): void
}

/** Close codes, reasons and states of a native socket, read past whatever a game did to its prototype. */
export interface Driver {
  /** Opens a socket whose binary frames arrive as ArrayBuffer. */
  open(href: string, protocols: string | string[] | undefined): WebSocket
  send(ws: WebSocket, data: string | ArrayBuffer | ArrayBufferView): void
  close(ws: WebSocket, code?: number, reason?: string): void
  readyState(ws: WebSocket): number
  bufferedAmount(ws: WebSocket): number
  protocol(ws: WebSocket): string
  listen(ws: WebSocket, type: string, handler: (event: any) => void): void
  unlisten(ws: WebSocket, type: string, handler: (event: any) => void): void
  data(event: MessageEvent): string | ArrayBuffer
  code(event: CloseEvent): number
  reason(event: CloseEvent): string
  wasClean(event: CloseEvent): boolean
}

/** Who a socket of net belongs to. */
export interface Owner {
  readonly label: string
  readonly persistent: boolean
  released: boolean
}

/** What the page script leaves for the session script. */
export interface SessionParts {
  driver: Driver
  log: Pick<Log, 'error' | 'note' | 'debug'>
  /** The launcher's server; '' in a plain browser. */
  origin: string
  allowedHosts: readonly string[]
}

declare global {
  const __CONCH_CONFIG__: Config
}
