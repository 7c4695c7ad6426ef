// Event: what a game adds its listeners to. Only the session can run them.

import { Map, Object, TypeError } from '../primitives.js'

/** @import { SessionLog } from './types.d.ts' */

/**
 * @param {string} name
 * @param {SessionLog} log
 * @returns {{ event: any, emit: (...args: any[]) => void }}
 */
export function createEvent(name, log) {
  /** @type {Map<Function, boolean>} listeners in their order; true: runs once */
  const listeners = new Map()

  /**
   * @param {unknown} listener
   * @param {boolean} once
   */
  function add(listener, once) {
    if (typeof listener !== 'function') throw new TypeError(`${name}: a listener is a function`)
    if (!listeners.has(listener)) listeners.set(listener, once)
    return () => { listeners.delete(listener) }
  }

  return {
    event: Object.freeze({
      add: (/** @type {unknown} */ listener) => add(listener, false),
      once: (/** @type {unknown} */ listener) => add(listener, true),
      remove: (/** @type {Function} */ listener) => listeners.delete(listener),
      clear: () => listeners.clear(),
      get count() { return listeners.size }
    }),
    emit(...args) {
      for (const [listener, once] of [...listeners]) {
        if (!listeners.has(listener)) continue
        if (once) listeners.delete(listener)
        try {
          listener(...args)
        } catch (error) {
          log.error(`${name}: a listener threw:`, error)
        }
      }
    }
  }
}
