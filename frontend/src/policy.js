// What net.connect throws for, and what the console says about a refused WebSocket. Go enforces the same rules.

import { URL } from './primitives.js'
import { hostOf, isLocal, matches, parseList, portOf } from './hosts.js'

/** @import { Config, Policy } from './types.d.ts' */

/** The one message of a runtime without sockets. */
export const UNAVAILABLE = 'net: sockets work in standalone builds, the editor play-test, ' +
  'and Galatrix rooms of games published by admins (client scripts only)'

const ALLOWED_HOSTS = 'Network > Allowed hosts (network.allowedHosts in conch.json)'
const ANY_HOST = 'Network > Allow any host (network.allowAnyHost in conch.json)'
const PROXY = 'network.proxy in conch.json'

/**
 * Which rules hold where. `plain`: ws:// to this machine is accepted. `unlisted`: a host that the list does not name
 * goes to the player if the switch is on, always goes to the player, or is refused.
 * @type {Record<string, { sockets: boolean, plain: boolean, unlisted: 'switch' | 'ask' | 'refuse' }>}
 */
const CONTEXTS = {
  'standalone': { sockets: true, plain: true, unlisted: 'switch' },
  'standalone-server': { sockets: false, plain: false, unlisted: 'refuse' },
  'play-test': { sockets: true, plain: true, unlisted: 'ask' },
  'room-trusted': { sockets: true, plain: false, unlisted: 'refuse' },
  'room': { sockets: false, plain: false, unlisted: 'refuse' },
  'room-server': { sockets: false, plain: false, unlisted: 'refuse' }
}

/**
 * The rules of a context; one that is not known has no sockets.
 * @param {string} context
 */
function rulesOf(context) {
  const rules = CONTEXTS[context || 'standalone']
  return rules && rules.sockets ? rules : CONTEXTS.room
}

/**
 * One decision, by the rules in their order. The twin of consent.Decide, held to it by consent/testdata/decisions.json;
 * addresses that no game may reach are known to Go alone, and so is what the player answered: the page has '' for it.
 * @param {{ context: string, listed: boolean, allowAny: boolean, remembered: string, url: URL }} facts
 * @returns {{ verdict: 'allow' | 'ask' | 'refuse', code: string }}
 */
export function decide({ context, listed, allowAny, remembered, url }) {
  const rules = rulesOf(context)
  if (!rules.sockets) return refuse('no-sockets')
  if (url.protocol !== 'wss:' && !rules.plain) return refuse('plain-here')
  if (url.protocol !== 'wss:' && !isLocal(url)) return refuse('plain-remote')
  if (listed) return { verdict: 'allow', code: '' }
  if (rules.unlisted === 'refuse' || (rules.unlisted === 'switch' && !allowAny)) return refuse('not-listed')
  if (remembered === 'yes') return { verdict: 'allow', code: '' }
  if (remembered === 'no' && rules.unlisted === 'ask') return refuse('answered-no')
  return { verdict: 'ask', code: '' }
}

/**
 * @param {string} code
 * @returns {{ verdict: 'refuse', code: string }}
 */
function refuse(code) {
  return { verdict: 'refuse', code }
}

/**
 * @param {Config} config
 * @returns {Policy}
 */
export function createPolicy(config) {
  const patterns = parseList(config.allowedHosts)
  const rules = rulesOf(config.context)
  const own = config.ownOrigin ? new URL(config.ownOrigin) : null

  /** @param {URL} url */
  function codeOf(url) {
    const { context, allowAnyHost } = config
    return decide({ context, listed: matches(patterns, url), allowAny: allowAnyHost, remembered: '', url }).code
  }

  /** @param {URL} url */
  function isOwn(url) {
    return own !== null && hostOf(url) === hostOf(own) && portOf(url) === portOf(own)
  }

  /** @param {URL} url */
  function ownPath(url) {
    if (config.proxyPrefixes.some((prefix) => url.pathname.startsWith(prefix))) return ''
    return `no server answers sockets at the game's own address; map ${url.pathname} to one with ${PROXY}`
  }

  /** @param {URL} url */
  function scheme(url) {
    if (url.protocol === 'wss:') return ''
    if (url.protocol !== 'ws:') {
      const secure = url.protocol === 'http:' || url.protocol === 'https:'
      return `the scheme ${url.protocol}// is not accepted; use ${secure ? `wss://${url.host}` : 'wss://'}`
    }
    const code = codeOf(url)
    if (code === 'plain-here') return `plain ws:// is not accepted here, also not to this machine; use wss://${url.host}`
    if (code !== 'plain-remote') return ''
    return `plain ws:// is accepted only to localhost, 127.0.0.1 and [::1]; use wss://${url.host}`
  }

  /** @param {URL} url */
  function host(url) {
    if (isOwn(url)) return ownPath(url)
    const code = codeOf(url)
    if (code !== 'not-listed') return code === 'plain-here' ? scheme(url) : ''
    const advice = `${url.host} is not an allowed host; add it to ${ALLOWED_HOSTS}`
    if (rules.unlisted !== 'switch') return advice
    return `${advice}, or turn on ${ANY_HOST} if the player types the address`
  }

  /** @param {URL} url */
  function isRemotePlain(url) {
    return url.protocol === 'ws:' && !isOwn(url) && !isLocal(url)
  }

  return {
    available: config.available && rules.sockets,
    scheme,
    host,
    raw: (url) => isRemotePlain(url) ? host(secured(url)) : host(url),
    upgraded: (url) => isRemotePlain(url) && matches(patterns, secured(url))
  }
}

/**
 * The wss:// twin of a ws:// URL; a port that was written stays.
 * @param {URL} url
 */
function secured(url) {
  const twin = new URL(url.href)
  twin.protocol = 'wss:'
  return twin
}
