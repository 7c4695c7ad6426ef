// A client's seat: the token that brings it back after its connection broke. It is kept for this tab, so that a page that
// was reloaded comes back too.

import { JSON, Uint8Array } from '../primitives.js'
import { hex } from './state.js'

/** @import { Address, Env, Frame, JoinRequest } from './types.d.ts' */

/**
 * @param {JoinRequest} request
 * @param {Address} address
 */
const keyOf = ({ projectId }, address) => `conch.session ${projectId} ${address.text}`

/**
 * @param {Env} env
 * @param {JoinRequest} request
 * @param {Address} address
 * @returns {{ token: Uint8Array } | null}
 */
export function keptSeat(env, request, address) {
  try {
    const { token, session } = JSON.parse(env.storage?.getItem(keyOf(request, address)) || '')
    const fits = !request.sessionId || request.sessionId === session
    if (!fits || !/^[0-9a-f]{32}$/.test(token)) return null
    return { token: new Uint8Array(16).map((_, i) => parseInt(token.slice(i * 2, i * 2 + 2), 16)) }
  } catch {
    return null
  }
}

/**
 * @param {Env} env
 * @param {JoinRequest} request
 * @param {Address} address
 * @param {Frame} welcome
 */
export function keepSeat(env, request, address, { token, session }) {
  try {
    env.storage?.setItem(keyOf(request, address), JSON.stringify({ token: hex(token), session }))
  } catch {
    // storage is full or forbidden: the seat lasts as long as the page
  }
  return { token: /** @type {Uint8Array} */ (token) }
}

/**
 * @param {Env} env
 * @param {JoinRequest} request
 * @param {Address} address
 */
export function forgetSeat(env, request, address) {
  try {
    env.storage?.removeItem(keyOf(request, address))
  } catch {
    // as above
  }
  return null
}
