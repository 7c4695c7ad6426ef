// A copy of localStorage for the launcher, so that saves can follow a game whose port, and with it the origin that
// saves belong to, had to change.

import { Blob, JSON, Object, XMLHttpRequest, fetch, getter, listen, setInterval } from './primitives.js'

/** @import { Config } from './types.d.ts' */

const PERIOD = 30_000

/** What a page that is going away may still send in the background, in bytes; browsers stop at 64 KiB. */
const KEEPALIVE_LIMIT = 60_000

/**
 * Puts saves back that this origin does not have. Runs before the game.
 * @param {Pick<Storage, 'getItem' | 'setItem'>} storage
 * @param {Record<string, string> | null} saved
 */
export function restoreStorage(storage, saved) {
  if (!saved) return
  for (const [key, value] of Object.entries(saved)) {
    if (storage.getItem(key) === null) storage.setItem(key, value)
  }
}

/**
 * All of localStorage as JSON text.
 * @param {Pick<Storage, 'length' | 'key' | 'getItem'>} storage
 */
export function storageText(storage) {
  /** @type {Record<string, string>} */
  const copy = Object.create(null)
  for (let i = 0; i < storage.length; i++) {
    const key = storage.key(i)
    const value = key === null ? null : storage.getItem(key)
    if (key !== null && value !== null) copy[key] = value
  }
  return JSON.stringify(copy)
}

/**
 * Sends the copy when it changed. `leaving`: the page may be gone in a moment.
 * @param {() => string} read
 * @param {(text: string, leaving: boolean) => Promise<boolean>} send whether the launcher has it
 */
export function createShadow(read, send) {
  let sent = ''
  return (leaving = false) => {
    const text = read()
    if (text === sent) return
    sent = text
    send(text, leaving).then((kept) => { if (!kept && sent === text) sent = '' })
  }
}

/**
 * Restores and copies for the top page of the game.
 * @param {Window & typeof globalThis} window
 * @param {Config} config
 */
export function keepStorage(window, config) {
  let storage
  try {
    storage = window.localStorage
    if (!storage) return
    restoreStorage(storage, config.restore)
  } catch {
    // storage is off or full: the game will see that for itself
  }
  if (!storage || !config.shadow) return
  const saves = guarded(storage)
  const idle = window.requestIdleCallback
    ? window.requestIdleCallback.bind(window)
    : (/** @type {() => void} */ run) => run()
  const address = `${config.ownOrigin}/__conch/storage`
  const shadow = createShadow(() => storageText(saves), (text, leaving) => post(address, text, leaving))
  const { document } = window
  setInterval(() => idle(() => shadow()), PERIOD)
  listen(window, 'pagehide', () => shadow(true))
  listen(document, 'visibilitychange', () => { if (document.visibilityState === 'hidden') shadow(true) })
  // After a restore the launcher needs to know that it arrived.
  if (config.restore) idle(() => shadow())
}

/**
 * The storage with its members as they are now.
 * @param {Storage} storage
 */
function guarded(storage) {
  const { key, getItem } = storage
  const length = getter(Object.getPrototypeOf(storage), 'length')
  return {
    get length() { return length(storage) },
    key: key.bind(storage),
    getItem: getItem.bind(storage)
  }
}

/**
 * @param {string} address
 * @param {string} text
 * @param {boolean} leaving
 */
async function post(address, text, leaving) {
  const body = new Blob([text], { type: 'application/json' })
  const small = body.size < KEEPALIVE_LIMIT
  if (leaving && !small && postNow(address, text)) return true
  try {
    const response = await fetch(address, {
      method: 'POST', body, keepalive: leaving && small, credentials: 'same-origin'
    })
    return response.ok
  } catch {
    return false
  }
}

/**
 * Too big for the background: hold the page until it is sent, where the engine lets a page do that.
 * @param {string} address
 * @param {string} text
 */
function postNow(address, text) {
  try {
    const request = new XMLHttpRequest()
    request.open('POST', address, false)
    request.setRequestHeader('Content-Type', 'application/json')
    request.send(text)
    return request.status >= 200 && request.status < 300
  } catch {
    return false
  }
}
