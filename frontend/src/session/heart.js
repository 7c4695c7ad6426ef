// Pings of one connection: they keep the clock right and notice a host that has gone silent. Frames arrive while a page
// is hidden and its timers are not, so what counts is when something was heard, never that a timer came late.

import { Map, floor, max, min } from '../primitives.js'
import { createClock } from './clock.js'

/** @import { Env } from './types.d.ts' */

const BURST = 8
const BURST_GAP = 50
/** A timer that comes this much too late means that the page was asleep. */
const SLEPT = 5000
/** What a host has to answer in after that. */
const GRACE = 3000

/** @typedef {ReturnType<typeof createHeart>} Heart */

/**
 * @param {Env} env
 * @param {{ ping: (seq: number, t0: number) => void, silent: () => void }} parts ping sends one, t0 in microseconds; silent is
 *   called when nothing was heard for too long
 */
export function createHeart(env, { ping, silent }) {
  const clock = createClock()
  /** @type {Map<number, number>} t0 of the pings under way */
  const sent = new Map()
  let seq = 0
  let heard = 0
  let ticked = 0
  let tickedWall = 0
  let every = 2000
  let patience = 10000
  let running = false
  let timer = 0
  let burst = 0

  function beat() {
    const now = floor(env.now() * 1000)
    if (sent.size > 64) sent.clear()
    sent.set(++seq, now)
    ping(seq, now)
  }

  function startBurst() {
    env.clearTimeout(burst)
    let left = BURST
    const next = () => {
      if (running) beat()
      if (--left > 0) burst = env.setTimeout(next, BURST_GAP)
    }
    next()
  }

  /** The page was asleep: what was measured before says nothing now, and the host gets a moment to answer. */
  function woke() {
    heard = min(heard, env.now() - patience + GRACE)
    sent.clear()
    clock.reset()
    startBurst()
    schedule(GRACE + BURST_GAP)
  }

  /** @param {number} ms */
  function schedule(ms) {
    env.clearTimeout(timer)
    ticked = env.now()
    tickedWall = env.wall()
    const expected = ms
    timer = env.setTimeout(() => {
      const gap = max(env.now() - ticked, env.wall() - tickedWall)
      if (gap > expected + SLEPT) return woke()
      if (env.now() - heard > patience) return silent()
      beat()
      schedule(every)
    }, ms)
  }

  return {
    clock,

    /**
     * @param {{ pingMillis: number, timeoutMillis: number }} limits
     * @param {number} hostMicros
     */
    start({ pingMillis, timeoutMillis }, hostMicros) {
      every = max(250, min(pingMillis, 60000))
      patience = max(2000, min(timeoutMillis, 600000))
      running = true
      heard = env.now()
      clock.start(hostMicros / 1000, heard)
      sent.clear()
      clock.reset()
      startBurst()
      schedule(every)
    },

    stop() {
      running = false
      env.clearTimeout(timer)
      env.clearTimeout(burst)
    },

    /** Something came in. */
    hear() { heard = env.now() },

    /** @param {Record<string, any>} pong */
    pong({ seq: number, t0, t1, t2 }) {
      const mine = sent.get(number)
      if (mine === undefined || mine !== t0) return
      sent.delete(number)
      if (clock.sample(mine / 1000, t1 / 1000, t2 / 1000, env.now())) env.log.note('the clock of the session went back')
    },

    /** The page may have been asleep. */
    wake() { if (running) woke() }
  }
}
