// A client's seat: the token that brings it back after its connection broke. It is kept for this tab, so that a page that
// was reloaded comes back too. Several clients of one page have a place each, in the order in which they join.

import { JSON, Uint8Array, parseInt } from '../primitives.js'
import { hex } from './state.js'

/** @import { Address, Env, JoinRequest } from './types.d.ts' */

/** @typedef {ReturnType<typeof takeSeat>} Seat */

/**
 * @param {Env} env
 * @param {JoinRequest} request
 * @param {Address} address
 */
export function takeSeat(env, { projectId, sessionId }, address) {
  let place = 1
  const name = () => `conch.session ${projectId} ${address.text} ${place}`
  while (env.places.has(name())) place++
  const key = name()
  env.places.add(key)
  /** @type {Uint8Array | null} */
  let token = null
  try {
    const kept = JSON.parse(env.storage?.getItem(key) || '')
    const fits = !sessionId || sessionId === kept.session
    if (fits && /^[0-9a-f]{32}$/.test(kept.token)) {
      token = new Uint8Array(16).map((_, i) => parseInt(kept.token.slice(i * 2, i * 2 + 2), 16))
    }
  } catch {
    // nothing is kept, or nothing of ours
  }

  return {
    /** null: there is none yet. */
    get token() { return token },

    /**
     * @param {Uint8Array} fresh
     * @param {string} session
     */
    keep(fresh, session) {
      token = fresh
      try {
        env.storage?.setItem(key, JSON.stringify({ token: hex(fresh), session }))
      } catch {
        // storage is full or forbidden: the seat lasts as long as the page
      }
    },

    forget() {
      token = null
      try {
        env.storage?.removeItem(key)
      } catch {
        // as above
      }
    },

    /** Lets another client of this page have the place. */
    leave() { env.places.delete(key) }
  }
}
