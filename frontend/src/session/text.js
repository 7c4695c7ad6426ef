// Words that cross the wire: reasons, and texts of strangers.

import { Object } from '../primitives.js'
import { textOf, utf8 } from './stream.js'

/** @import { Ending } from './types.d.ts' */

const REFUSALS = ['protocol_version', 'wrong_project', 'wrong_session', 'build_mismatch', 'bad_password', 'bad_code', 'full', 'banned',
  'approval_timeout', 'approval_error', 'host_stopping', 'rate_limited', 'bad_token', 'timeout', 'protocol_error']

/**
 * A text without what could deceive those who read it: control, format and bidi characters.
 * @param {string} text
 */
export function cleanText(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
}

/**
 * The longest start of a text that has at most limit bytes of UTF-8.
 * @param {string} text
 * @param {number} limit
 */
export function cut(text, limit) {
  const bytes = utf8(text)
  if (bytes.length <= limit) return text
  let end = limit
  while (end > 0 && (bytes[end] & 0xc0) === 0x80) end--
  return textOf(bytes.subarray(0, end))
}

/**
 * A player's name as others see it: at most 32 code points.
 * @param {unknown} name
 */
export function cleanName(name) {
  return [...cleanText(`${name}`)].slice(0, 32).join('')
}

/**
 * @param {string} code
 * @param {string} text
 */
function withText(code, text) {
  const clean = cleanText(text)
  return clean ? `${code}: ${clean}` : code
}

/**
 * What onClientJoinFailed says.
 * @param {Ending} ending
 */
export function joinReason({ stage, code, bye, reject, fault, text }) {
  if (reject === 'build_mismatch') return withText(reject, text)
  if (reject) return REFUSALS.includes(reject) ? reject : withText('refused', text)
  if (fault) return fault
  if (bye === 'host_stopped' || code === 4001) return 'host_stopping'
  if (bye === 'kicked') return withText('refused', text)
  return stage === 'hello' ? 'not_a_host' : 'unreachable'
}

/** What onSessionStopped says, by the code of a Bye, a close code, or a word of ours. */
const STOPS = /** @type {Record<string | number, string>} */ ({
  kicked: 'kicked', 4004: 'kicked', host_stopped: 'host_stopped', host_stopping: 'host_stopped', left: 'host_stopped',
  local_stop: 'host_stopped', 4000: 'host_stopped', 4001: 'host_stopped', replaced: 'replaced', 4009: 'replaced',
  rate_limited: 'rate_limited', 4008: 'rate_limited', protocol_error: 'protocol_error', 4002: 'protocol_error', 1002: 'protocol_error',
  1009: 'protocol_error', scene_load_failed: 'scene_load_failed', scene_load_timeout: 'scene_load_timeout', 4011: 'scene_load_failed'
})

/**
 * @param {string | number} cause
 * @param {string} text
 */
export function stopReason(cause, text) {
  const code = Object.prototype.hasOwnProperty.call(STOPS, cause) ? STOPS[cause] : 'connection_lost'
  return code === 'kicked' || code === 'scene_load_failed' ? withText(code, text) : code
}

/**
 * A join code as it is compared: capitals, no spaces and dashes, and what is often mistaken set right.
 * @param {string} code
 */
export function plainCode(code) {
  return code.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[I1]/g, 'L').replace(/U/g, 'V')
}
