// One socket of the net namespace, over one native WebSocket. Frames, order, buffering and close codes are the
// browser's; this file adds the text of onError, words for states, and an owner.

import { ArrayBuffer, DOMException, TypeError, apply, getOwnPropertyDescriptor } from './primitives.js'
import { closing, shown } from './log.js'

/** @import { Driver, Log, Owner, Relay } from './types.d.ts' */

/**
 * @typedef {object} Handle
 * @property {NetSocket} socket what the game holds
 * @property {Owner} owner
 * @property {() => void} drop closes without calling the game any more
 */

const STATES = /** @type {const} */ (['connecting', 'open', 'closing', 'closed'])
const OPEN = 1
const CLOSED = 3

const byteLength = getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')?.get
const isView = ArrayBuffer.isView

/**
 * @param {{ driver: Driver, relay: Relay, log: Log, url: URL, owner: Owner, protocols: string | string[] | undefined,
 *   done: () => void }} parts done is called once, when nothing more will happen to the socket
 * @returns {Handle}
 */
export function createSocket({ driver, relay, log, url, owner, protocols, done }) {
  const { id, href } = relay.address(url, owner.label, false)
  const ws = driver.open(href, protocols)
  let opened = false
  let failed = false
  let closedHere = false
  let dropped = false

  /** @type {NetSocket} */
  const socket = {
    onOpen: null,
    onMessage: null,
    onClose: null,
    onError: null,

    send(data) {
      if (driver.readyState(ws) !== OPEN) {
        throw new DOMException(`send: the socket is ${socket.readyState}, not open`, 'InvalidStateError')
      }
      if (typeof data !== 'string' && !isBytes(data)) {
        throw new TypeError('send: data is a string, an ArrayBuffer, a typed array or a DataView')
      }
      driver.send(ws, data)
    },

    close(code = 1000, reason = '') {
      // The native call checks code and reason. After it the end is the game's own wish, not an error.
      driver.close(ws, code, reason)
      closedHere = true
    },

    get readyState() { return STATES[driver.readyState(ws)] },
    get bufferedAmount() { return driver.bufferedAmount(ws) },
    get url() { return url.href },
    get protocol() { return driver.protocol(ws) }
  }

  /**
   * Calls the game directly. A throw ends here.
   * @param {'onOpen' | 'onMessage' | 'onClose' | 'onError'} name
   * @param {unknown[]} args
   */
  function call(name, args) {
    const handler = socket[name]
    if (dropped || typeof handler !== 'function') return
    try {
      apply(handler, socket, args)
    } catch (error) {
      log.error(owner.label, `${name} of ${shown(url)} threw:`, error)
    }
  }

  /** @param {string} message */
  function fail(message) {
    failed = true
    log.debug(owner.label, `failed ${shown(url)}: ${message}`)
    call('onError', [message])
  }

  /**
   * @param {number} code
   * @param {string} reason
   * @param {boolean} wasClean
   */
  function finish(code, reason, wasClean) {
    if (opened || !failed) log.debug(owner.label, `closed ${shown(url)} (${closing(code, reason)})`)
    call('onClose', [code, reason, wasClean])
    done()
  }

  driver.listen(ws, 'open', () => {
    opened = true
    log.debug(owner.label, `connected ${shown(url)}`)
    call('onOpen', [])
  })
  driver.listen(ws, 'message', (event) => call('onMessage', [driver.data(event)]))
  driver.listen(ws, 'error', () => { failed = true })
  driver.listen(ws, 'close', (event) => {
    const code = driver.code(event)
    const reason = driver.reason(event)
    const wasClean = driver.wasClean(event)
    // No engine fires error for a connection that just breaks off; for a script it is one all the same.
    if (dropped || closedHere) failed = false
    if (!failed && (wasClean || dropped || closedHere)) return finish(code, reason, wasClean)
    return relay.reason(id).then((text) => {
      fail(text || (opened ? `the connection to ${url.host} was lost` : `no connection to ${url.host}`))
      finish(code, reason, wasClean)
    })
  })

  return {
    socket,
    owner,
    drop() {
      dropped = true
      if (driver.readyState(ws) !== CLOSED) driver.close(ws, 1000)
    }
  }
}

/**
 * Whether data is an ArrayBuffer, of any realm, or a view on one.
 * @param {unknown} data
 */
function isBytes(data) {
  if (isView(data)) return true
  try {
    apply(/** @type {Function} */ (byteLength), data, [])
    return true
  } catch {
    return false
  }
}
