// The host list: the twin of consent/hostlist in Go, held to it by the vectors in consent/hostlist/testdata.
// Go decides; this half lets net.connect throw at once and lets the console name the setting.

import { Number, URL, parseInt } from './primitives.js'

/** @import { Pattern } from './types.d.ts' */

const LINE = /^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:[\]/?#@\\*%]+)(?::([0-9]{1,5}))?$/i
const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/

/**
 * Takes one line of the list apart; null for a comment, an empty line and everything Go refuses.
 * @param {string} line
 * @returns {Pattern | null}
 */
export function parsePattern(line) {
  const text = line.replace(/^\uFEFF/, '').replace(/#.*/s, '').trim()
  const parts = LINE.exec(text)
  if (!parts) return null
  const port = parts[3] === undefined ? 0 : Number(parts[3])
  if (parts[3] !== undefined && (port < 1 || port > 65535)) return null
  let host
  try {
    host = canonicalHost(new URL(`ws://${parts[2]}/`).hostname)
  } catch {
    return null
  }
  const wildcard = parts[1] !== undefined
  if (!host || (wildcard && isIP(host))) return null
  return { host, port, wildcard }
}

/**
 * @param {readonly string[]} lines
 * @returns {Pattern[]}
 */
export function parseList(lines) {
  const patterns = []
  for (const line of lines) {
    const pattern = parsePattern(line)
    if (pattern) patterns.push(pattern)
  }
  return patterns
}

/**
 * Whether the list names the host and port of a ws: or wss: URL.
 * @param {readonly Pattern[]} patterns
 * @param {URL} url
 */
export function matches(patterns, url) {
  const host = hostOf(url)
  const port = portOf(url)
  if (!host) return false
  return patterns.some((p) => (p.port === 0 || p.port === port) &&
    (p.wildcard ? !isIP(host) && host.endsWith('.' + p.host) : host === p.host))
}

/**
 * The host in the form it is compared and shown: lower case, no brackets, no trailing dot, IPv4-mapped addresses as
 * IPv4. Empty for a host that Go refuses.
 * @param {URL} url
 */
export function hostOf(url) {
  return canonicalHost(url.hostname)
}

/**
 * The effective port.
 * @param {URL} url
 */
export function portOf(url) {
  if (url.port) return Number(url.port)
  return url.protocol === 'wss:' || url.protocol === 'https:' ? 443 : 80
}

/**
 * Whether this is one of the three names that plain ws:// may go to.
 * @param {URL} url
 */
export function isLocal(url) {
  const host = hostOf(url)
  return host === 'localhost' || host === '127.0.0.1' || host === '::1'
}

/** @param {string} hostname as URL.hostname gives it */
function canonicalHost(hostname) {
  if (hostname.startsWith('[')) {
    const text = hostname.slice(1, -1)
    const mapped = MAPPED.exec(text)
    if (!mapped) return text
    const high = parseInt(mapped[1], 16)
    const low = parseInt(mapped[2], 16)
    return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
  }
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  return name.length <= 253 && NAME.test(name) ? name : ''
}

/** @param {string} host */
function isIP(host) {
  return host.includes(':') || IPV4.test(host)
}
