// The session host's clock, estimated from round trips. The twin of Clock in Go; docs/protocol.md, "Heartbeat and clock".
// All times are milliseconds; it reads no clock itself.

import { abs, max, min } from '../primitives.js'

const SAMPLES = 16
const BEST = 4 // whose median is believed
const IGNORE = 2
const SLEW = 250 // a larger error is not slewed
const STEP = 2000 // a larger error backward is a step
const SLEW_RATE = 0.05

export function createClock() {
  /** @type {{ offset: number, rtt: number }[]} */
  let samples = []
  let synced = false
  let offset = 0 // host = local + offset, at base
  let base = 0 // local
  let goal = 0 // what offset moves to
  let rate = SLEW_RATE
  let last = 0

  /** @param {number} local */
  function at(local) {
    const most = max(0, (local - base) * rate)
    return offset + min(max(goal - offset, -most), most)
  }

  /**
   * Makes target the offset to reach.
   * @param {number} target
   * @param {number} local
   * @returns {boolean} whether the clock stepped back
   */
  function aim(target, local) {
    offset = synced ? at(local) : target
    synced = true
    base = local
    rate = SLEW_RATE
    goal = target
    const error = target - offset
    if (abs(error) < IGNORE) goal = offset
    else if (error > SLEW || error < -STEP) offset = target
    else if (error < -SLEW) rate = 0.5
    if (error >= -STEP) return false
    last = 0
    return true
  }

  return {
    /** Whether the host's time is known. */
    get synced() { return synced },

    /**
     * What a host says of its clock before any round trip: good until the first sample.
     * @param {number} host
     * @param {number} local
     */
    start(host, local) {
      if (synced) return
      goal = offset = host - local
      base = local
      synced = true
    },

    /**
     * One round trip: t0 and t3 on the local clock, t1 and t2 on the host's.
     * @param {number} t0
     * @param {number} t1
     * @param {number} t2
     * @param {number} t3
     * @returns {boolean} whether the clock stepped back
     */
    sample(t0, t1, t2, t3) {
      const rtt = t3 - t0 - (t2 - t1)
      if (t0 > t3 || t1 > t2 || rtt < 0) return false
      if (samples.length >= BEST && rtt > 3 * median(samples.map((s) => s.rtt)) + IGNORE) return false
      samples.push({ offset: (t1 - t0 + (t2 - t3)) / 2, rtt })
      if (samples.length > SAMPLES) samples.shift()
      const best = [...samples].sort((a, b) => a.rtt - b.rtt).slice(0, BEST)
      return aim(median(best.map((s) => s.offset)), t3)
    },

    /** Forgets the samples, for a burst of new ones. */
    reset() { samples = [] },

    /** The median round trip. */
    get rtt() { return samples.length ? median(samples.map((s) => s.rtt)) : 0 },

    /**
     * The host's time at a local time. Never less than before, but for the steps that sample reports.
     * @param {number} local
     */
    now(local) {
      last = max(last, local + at(local))
      return last
    }
  }
}

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}
