// The world of a session in a page: the browser's sockets, clocks and storage, taken when the script loads.

import {
  JSON, Object, Set, XMLHttpRequest, clearTimeout, construct, encodeURIComponent, listen, monotonic, randomBytes, setTimeout, unlisten,
  wallClock
} from '../primitives.js'
import { PATH, SUBPROTOCOL } from './wire.js'

/** @import { Driver, SessionParts } from '../types.d.ts' */
/** @import { Address, Env, HostReply, HostStart, SessionLog, Transport } from './types.d.ts' */

/**
 * @param {any} scope globalThis
 * @param {SessionParts} parts
 * @returns {Env}
 */
export function createEnv(scope, { driver, log, origin }) {
  const own = origin.replace(/^http/, 'ws')
  let attempts = 0

  /** @type {SessionLog} */
  const sessionLog = {
    error: (text, ...rest) => log.error('session', text, ...rest),
    note: (text) => log.note('session', text),
    debug: (text) => log.debug('session', text)
  }

  /** @param {Address} address */
  const direct = ({ host, port, secure }) => `${secure ? 'wss' : 'ws'}://${host}:${port}${PATH}`

  return {
    connect(address, { projectId }) {
      const far = direct(address)
      if (!origin) return openTransport(driver, far, SUBPROTOCOL)
      const query = `u=${encodeURIComponent(far)}&project=${encodeURIComponent(projectId)}&n=${++attempts}`
      return openTransport(driver, `${own}/__conch/session/join?${query}`, SUBPROTOCOL)
    },
    now: monotonic,
    wall: wallClock,
    random: randomBytes,
    setTimeout: (run, ms) => /** @type {any} */ (setTimeout(run, ms)),
    clearTimeout: (timer) => clearTimeout(timer),
    storage: storageOf(scope),
    places: new Set(),
    log: sessionLog,
    kind: origin ? 'launcher' : 'browser',

    onWake(run) {
      const { document } = scope
      const visible = () => { if (document.visibilityState === 'visible') run() }
      if (document) listen(document, 'visibilitychange', visible)
      listen(scope, 'pageshow', run)
      listen(scope, 'online', run)
      return () => {
        if (document) unlisten(document, 'visibilitychange', visible)
        unlisten(scope, 'pageshow', run)
        unlisten(scope, 'online', run)
      }
    },

    host: origin ? {
      start: (start) => ask(`${origin}/__conch/session/host`, start),
      link: (name) => openTransport(driver, `${own}/__conch/session/link?host=${encodeURIComponent(name)}`, undefined)
    } : null
  }
}

/**
 * A native WebSocket as a Transport.
 * @param {Driver} driver
 * @param {string} href
 * @param {string | undefined} protocol
 * @returns {Transport}
 */
export function openTransport(driver, href, protocol) {
  const ws = driver.open(href, protocol)
  /** @type {Transport} */
  const transport = {
    onopen: null,
    onmessage: null,
    onclose: null,
    get bufferedAmount() { return driver.bufferedAmount(ws) },
    send(data) { if (driver.readyState(ws) === 1) driver.send(ws, /** @type {Uint8Array<ArrayBuffer>} */ (data)) },
    close(code, reason) { if (driver.readyState(ws) < 2) driver.close(ws, code, reason) }
  }
  driver.listen(ws, 'open', () => {
    if (protocol !== undefined && driver.protocol(ws) !== protocol) return driver.close(ws, 4002, 'another protocol')
    if (transport.onopen) transport.onopen()
  })
  driver.listen(ws, 'message', (event) => { if (transport.onmessage) transport.onmessage(driver.data(event)) })
  let ended = false
  /**
   * @param {number} code
   * @param {string} reason
   */
  function end(code, reason) {
    if (ended) return
    ended = true
    if (transport.onclose) transport.onclose(code, reason)
  }
  driver.listen(ws, 'close', (event) => end(driver.code(event), driver.reason(event)))
  // WebKit tells of a port that it does not connect to by this event alone; elsewhere the close follows at once.
  driver.listen(ws, 'error', () => setTimeout(() => { if (driver.readyState(ws) === 3) end(1006, '') }, 100))
  return transport
}

/**
 * Asks the launcher and waits: startHost answers at once.
 * @param {string} address
 * @param {HostStart} start
 * @returns {HostReply}
 */
function ask(address, start) {
  const refused = { ok: false, error: 'the launcher did not answer', port: 0, joinCode: '', dedicated: false, maxArgs: 0, hostMicros: 0, link: '' }
  try {
    const request = construct(XMLHttpRequest, [])
    request.open('POST', address, false)
    request.setRequestHeader('Content-Type', 'application/json')
    request.send(JSON.stringify(start))
    return Object.assign(refused, JSON.parse(request.responseText))
  } catch {
    return refused
  }
}

/** @param {any} scope */
function storageOf(scope) {
  try {
    return scope.sessionStorage || null
  } catch {
    return null // a frame without an origin
  }
}
