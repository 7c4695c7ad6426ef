// Where a player says the host is: an address, an invite, or a URL.

import { Number, URL } from '../primitives.js'
import { hostOf, isLocal, matches, parseList } from '../hosts.js'
import { PATH } from './wire.js'

/** @import { Address } from './types.d.ts' */

export const DEFAULT_PORT = 24642

/**
 * Takes host, host:port, [v6]:port, ws(s)://host[:port] and invites (http://host:port/j/CODE) apart; null for anything else.
 * @param {unknown} given
 * @returns {Address | null}
 */
export function parseAddress(given) {
  const text = typeof given === 'string' ? given.trim() : ''
  const [, scheme, rest] = /^(?:(ws|wss|http|https):\/\/)?(.+)$/i.exec(text) || []
  if (!rest || /[\s\\?#@]/.test(rest)) return null
  const bare = !scheme && /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(rest) ? `[${rest}]` : rest
  const secure = /s$/i.test(scheme || '') && !/^ws$/i.test(scheme || '')
  let url
  try {
    url = new URL(`${secure ? 'wss' : 'ws'}://${bare}`)
  } catch {
    return null
  }
  const host = hostOf(url)
  const [, code = ''] = /^\/j\/([0-9A-Za-z-]{1,16})$/.exec(url.pathname) || []
  if (!host || (url.pathname !== '/' && url.pathname !== PATH && !code)) return null
  // a port that the scheme implies is dropped by the URL; what was written counts
  const written = /:(\d+)(?:\/|$)/.exec(bare.replace(/^\[.*\]/, ''))
  const port = written ? Number(written[1]) : secure ? 443 : DEFAULT_PORT
  if (port < 1 || port > 65535) return null
  const named = host.includes(':') ? `[${host}]` : host
  return { host: named, port, secure, text: `${named}:${port}`, code }
}

/**
 * Whether the launcher lets a game join a host there: this computer, private and link-local addresses, names of the local
 * network, and the game's allowed hosts. Go decides again, about the address that a name leads to.
 * @param {Address} address
 * @param {readonly string[]} allowedHosts
 */
export function mayJoin({ host, port, secure }, allowedHosts) {
  const url = new URL(`${secure ? 'wss' : 'ws'}://${host}:${port}/`)
  return isLocal(url) || /\.local$/.test(host) || isPrivate(host) || matches(parseList(allowedHosts), url)
}

/** @param {string} host */
function isPrivate(host) {
  return /^(?:127|10)\.\d+\.\d+\.\d+$|^192\.168\.\d+\.\d+$|^169\.254\.\d+\.\d+$|^172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+$/.test(host) ||
    /^\[f(?:[cd][0-9a-f]{2}|e[89ab][0-9a-f]):/.test(host)
}
