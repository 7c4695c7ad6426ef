// Stands in for the browser: a native WebSocket class that a test drives from the far side, and the globals that Node
// lacks. Import it before anything of ../src.

class FakeCloseEvent extends Event {
  #init
  constructor(type, init = {}) {
    super(type, init)
    this.#init = { code: 0, reason: '', wasClean: false, ...init }
  }
  get code() { return this.#init.code }
  get reason() { return this.#init.reason }
  get wasClean() { return this.#init.wasClean }
}
globalThis.CloseEvent ??= FakeCloseEvent
globalThis.location ??= { href: 'http://127.0.0.1:24000/game/index.html' }

/** What the Standard's WebSocket does, without a network. */
export class FakeWebSocket extends EventTarget {
  static CONNECTING = 0
  static OPEN = 1
  static CLOSING = 2
  static CLOSED = 3

  /** Every socket made, oldest first. */
  static made = []

  #state = 0
  #buffered = 0
  #binaryType = 'blob'
  #protocol = ''
  #href

  constructor(href, protocols) {
    super()
    if (arguments.length === 0) throw new TypeError('1 argument required, but only 0 present')
    const url = new URL(href, globalThis.location.href)
    if (url.protocol !== 'ws:' && url.protocol !== 'wss:') throw new DOMException('bad scheme', 'SyntaxError')
    if (url.href.includes('#')) throw new DOMException('fragment', 'SyntaxError')
    this.protocols = protocols === undefined ? [] : Array.isArray(protocols) ? protocols : [String(protocols)]
    if (!this.protocols.every((name) => /^[\w.!-]+$/.test(name))) {
      throw new DOMException('bad subprotocol', 'SyntaxError')
    }
    this.#href = url.href
    this.sent = []
    this.closedWith = null
    FakeWebSocket.made.push(this)
  }

  get url() { return this.#href }
  get readyState() { return this.#state }
  get bufferedAmount() { return this.#buffered }
  get protocol() { return this.#protocol }
  get binaryType() { return this.#binaryType }
  set binaryType(value) { this.#binaryType = value }

  send(data) {
    if (this.#state === 0) throw new DOMException('still connecting', 'InvalidStateError')
    this.sent.push(data)
    this.#buffered += data.length ?? data.byteLength
  }

  close(...args) {
    const [code, reason = ''] = args
    if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999)) {
      throw new DOMException('bad code', 'InvalidAccessError')
    }
    if (new TextEncoder().encode(reason).length > 123) throw new DOMException('long reason', 'SyntaxError')
    if (this.#state >= 2) return
    this.closedWith = args
    this.#state = 2
  }

  // The far side.

  accept(protocol = '') {
    this.#state = 1
    this.#protocol = protocol
    this.dispatchEvent(new Event('open'))
  }

  frame(data) {
    this.dispatchEvent(new MessageEvent('message', { data, origin: 'ws://127.0.0.1:1' }))
  }

  finish(code = 1000, reason = '', wasClean = true) {
    this.#state = 3
    this.dispatchEvent(new CloseEvent('close', { code, reason, wasClean }))
  }

  /** What a browser does when the connection cannot be made. */
  fail() {
    this.#state = 3
    this.dispatchEvent(new Event('error'))
    this.dispatchEvent(new CloseEvent('close', { code: 1006 }))
  }
}

/** The socket made last. */
export function last() {
  return FakeWebSocket.made[FakeWebSocket.made.length - 1]
}

/** @returns {import('../src/types.d.ts').Config} */
export function makeConfig(changes = {}) {
  return {
    relayPorts: [40001, 40002, 40003], available: true, context: 'standalone',
    allowedHosts: ['play.example.net', '*.example.org', 'localhost:8080'], allowAnyHost: false, debug: false,
    ownOrigin: 'http://127.0.0.1:24000', proxyPrefixes: ['/socket.io/'], restore: null, shadow: false, ...changes
  }
}

/** A console that keeps its lines. */
export function makeConsole() {
  const lines = []
  const keep = (level) => (...args) => lines.push([level, ...args])
  return { lines, error: keep('error'), warn: keep('warn'), info: keep('info') }
}

/** Lets everything that is already decided happen. */
export function settle() {
  return new Promise((resolve) => setImmediate(resolve))
}
