/**
 * One door to sockets. In Conch (and other shells with the same API) that is window.net; in a plain
 * browser the same members stand over the browser's own WebSocket.
 *
 * @typedef {object} Socket
 * @property {(() => void) | null} onOpen
 * @property {((data: ArrayBuffer | string) => void) | null} onMessage
 * @property {((message: string) => void) | null} onError
 * @property {((code: number, reason: string, wasClean: boolean) => void) | null} onClose
 * @property {'connecting' | 'open' | 'closing' | 'closed'} readyState
 * @property {number} bufferedAmount
 * @property {string} url
 * @property {string} protocol
 * @property {(data: string | ArrayBuffer | ArrayBufferView) => void} send
 * @property {(code?: number, reason?: string) => void} close
 *
 * @typedef {object} Net
 * @property {string} label what the player reads about it
 * @property {() => boolean} isAvailable
 * @property {() => string[]} allowedHosts
 * @property {(url: string, options?: {protocols?: string[]}) => Socket} connect throws for misuse only
 */

const WORDS = /** @type {const} */ (['connecting', 'open', 'closing', 'closed'])

/** @implements {Socket} */
class BrowserSocket {
  /** @param {string} url @param {string[]} [protocols] */
  constructor(url, protocols) {
    const ws = new WebSocket(url, protocols ?? [])
    ws.binaryType = 'arraybuffer'
    this.ws = ws
    this.onOpen = this.onMessage = this.onError = this.onClose = null
    ws.onopen = () => this.onOpen?.()
    ws.onmessage = (e) => this.onMessage?.(e.data)
    ws.onerror = () => this.onError?.('no connection to ' + new URL(url).host)
    ws.onclose = (e) => this.onClose?.(e.code, e.reason, e.wasClean)
  }
  get readyState() { return WORDS[this.ws.readyState] }
  get bufferedAmount() { return this.ws.bufferedAmount }
  get url() { return this.ws.url }
  get protocol() { return this.ws.protocol }
  send(data) {
    if (this.readyState !== 'open') throw new Error('net: the socket is not open')
    this.ws.send(data)
  }
  close(code = 1000, reason = '') { this.ws.close(code, reason) }
}

/** @returns {Net} */
export function openNet() {
  const net = globalThis.net
  if (net && typeof net.connect === 'function' && typeof net.isAvailable === 'function') {
    return {
      label: 'sockets by window.net',
      isAvailable: () => net.isAvailable(),
      allowedHosts: () => (net.isAvailable() ? net.allowedHosts() : []),
      connect: (url, options) => net.connect(url, options),
    }
  }
  return {
    label: 'sockets by the browser',
    isAvailable: () => typeof WebSocket === 'function',
    allowedHosts: () => [],
    connect: (url, options) => new BrowserSocket(url, options?.protocols),
  }
}
