// UncertainAsyncOp: the outcome of a call over a network. A failed one that nobody looks at is not an error of the page.

import { Error, Object, Promise, TypeError } from '../primitives.js'

/** @import { Operation, SessionLog } from './types.d.ts' */

/**
 * @param {{ log: SessionLog, later: (run: () => void) => void, cancel?: () => boolean }} parts later runs in the next update;
 *   cancel takes the call back and says whether that was still possible
 * @returns {Operation}
 */
export function createOp({ log, later, cancel }) {
  /** @type {'pending' | 'succeeded' | 'failed'} */
  let state = 'pending'
  /** @type {any} */
  let outcome
  /** @type {(() => void)[]} */
  let waiting = []

  /**
   * @param {'succeeded' | 'failed'} how
   * @param {any} value
   */
  function settle(how, value) {
    if (state !== 'pending') return
    state = how
    outcome = value
    const all = waiting
    waiting = []
    for (const run of all) run()
  }

  const op = Object.freeze({
    get state() { return state },
    get result() { return state === 'succeeded' ? outcome : undefined },
    get error() { return state === 'failed' ? outcome : undefined },

    onDone(/** @type {(op: any) => void} */ listener) {
      if (typeof listener !== 'function') throw new TypeError('onDone: a listener is a function')
      const run = () => {
        try {
          listener(op)
        } catch (error) {
          log.error('onDone threw:', error)
        }
      }
      if (state === 'pending') waiting.push(run)
      else later(run)
      return op
    },

    cancel() {
      if (state !== 'pending' || !cancel || !cancel()) return false
      later(() => settle('failed', 'cancelled'))
      return true
    },

    then(/** @type {any} */ onSuccess, /** @type {any} */ onFailure) {
      const settled = new Promise((resolve, reject) => {
        const run = () => state === 'succeeded' ? resolve(outcome) : reject(new Error(outcome))
        if (state === 'pending') waiting.push(run)
        else run()
      })
      const next = settled.then(onSuccess, onFailure)
      next.catch(() => {})
      return next
    }
  })

  return { op, succeed: (result) => settle('succeeded', result), fail: (error) => settle('failed', error) }
}
