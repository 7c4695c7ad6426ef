// The browser's own functions, taken when the script loads: the game may replace any of them afterwards.

export const { apply, construct, defineProperty, getOwnPropertyDescriptor } = Reflect

export const {
  AbortController, Array, ArrayBuffer, Blob, DOMException, DataView, Error, EventSource, JSON, Map, Number, Object,
  Promise, Proxy, RangeError, Set, String, TextDecoder, TextEncoder, TypeError, URL, Uint32Array, Uint8Array, WeakMap,
  XMLHttpRequest, clearTimeout, encodeURIComponent, parseInt
} = globalThis

export const { abs, floor, fround, max, min, random } = Math
export const wallClock = Date.now

/** Milliseconds on a clock that nobody sets. */
export const monotonic = globalThis.performance ? globalThis.performance.now.bind(globalThis.performance) : wallClock

/**
 * @param {number} length
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function randomBytes(length) {
  return crypto.getRandomValues(new Uint8Array(length))
}

export const fetch = bound(globalThis.fetch)
export const setTimeout = bound(globalThis.setTimeout)
export const setInterval = bound(globalThis.setInterval)

const out = globalThis.console
export const console = { error: out.error.bind(out), warn: out.warn.bind(out), info: out.info.bind(out) }

const { crypto } = globalThis
const { addEventListener, removeEventListener } = globalThis.EventTarget.prototype

/**
 * A function of the global scope that can be called by itself; absent where the scope has none (worklets).
 * @template {Function} F
 * @param {F} method
 * @returns {F}
 */
function bound(method) {
  return method && method.bind(globalThis)
}

/**
 * @param {EventTarget} target
 * @param {string} type
 * @param {(event: any) => void} handler
 * @param {AddEventListenerOptions} [options]
 */
export function listen(target, type, handler, options) {
  apply(addEventListener, target, [type, handler, options])
}

/**
 * @param {EventTarget} target
 * @param {string} type
 * @param {(event: any) => void} handler
 */
export function unlisten(target, type, handler) {
  apply(removeEventListener, target, [type, handler])
}

/**
 * A function that reads an accessor of proto as it is now.
 * @param {object | undefined} proto
 * @param {string} name
 * @returns {(self: any) => any}
 */
export function getter(proto, name) {
  const get = proto && getOwnPropertyDescriptor(proto, name)?.get
  return get ? (self) => apply(get, self, []) : (self) => self[name]
}

/** The URL that relative addresses of this page or worker start from. */
export function baseURL() {
  return globalThis.document ? globalThis.document.baseURI : globalThis.location.href
}
