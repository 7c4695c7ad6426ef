// Holds a client to what the host told it: frames, bytes and calls a second. What is too much waits, in order.

import { max, min } from '../primitives.js'

/** @import { Env } from './types.d.ts' */

// A little under the limits, since the network may push frames together.
const RATE = 0.95
const BURST = 0.9

/**
 * @typedef {{ frame: Uint8Array, isCall: boolean, sent?: () => void }} Waiting
 * @typedef {ReturnType<typeof createPacer>} Pacer
 */

/**
 * @param {Env} env
 * @param {(frame: Uint8Array) => void} write
 */
export function createPacer(env, write) {
  /** @type {Waiting[]} */
  let waiting = []
  /** @type {{ rate: number, burst: number, have: number }[] | null} frames, bytes, calls; null while nothing may be sent */
  let buckets = null
  let at = 0
  let timer = 0

  function fill() {
    const now = env.now()
    for (const b of buckets || []) b.have = min(b.burst, b.have + b.rate * (now - at) / 1000)
    at = now
  }

  function flush() {
    env.clearTimeout(timer)
    if (!buckets) return
    fill()
    while (waiting.length > 0) {
      const { frame, isCall, sent } = waiting[0]
      const costs = [1, frame.length, isCall ? 1 : 0]
      let wait = 0
      // what is larger than a whole bucket goes when it is full
      buckets.forEach((b, i) => { wait = max(wait, (min(costs[i], b.burst) - b.have) / b.rate) })
      if (wait > 0) {
        timer = env.setTimeout(flush, min(wait, 1) * 1000 + 1)
        return
      }
      buckets.forEach((b, i) => { b.have -= costs[i] })
      waiting.shift()
      write(frame)
      if (sent) sent()
    }
  }

  return {
    /** @param {Waiting} entry */
    send(entry) {
      waiting.push(entry)
      flush()
    },

    /**
     * Takes an entry back; false when it was sent.
     * @param {Waiting} entry
     */
    cancel(entry) {
      const before = waiting.length
      waiting = waiting.filter((other) => other !== entry)
      return waiting.length < before
    },

    /** A new connection, with these limits. @param {Record<string, number>} limits */
    start(limits) {
      const bucket = (/** @type {number} */ rate, /** @type {number} */ burst) => (
        { rate: max(rate * RATE, 0.001), burst: max(burst * BURST, 1), have: max(burst * BURST, 1) })
      buckets = [bucket(limits.frames, limits.framesBurst), bucket(limits.bytes, limits.bytesBurst),
        bucket(limits.calls, limits.callsBurst)]
      at = env.now()
      flush()
    },

    /** The connection is gone. Calls wait for the next one; everything else was about the old one. */
    pause() {
      env.clearTimeout(timer)
      buckets = null
      waiting = waiting.filter((entry) => entry.isCall)
    },

    stop() {
      this.pause()
      waiting = []
    }
  }
}
