// The net namespace and its sockets. What each member promises is written in ../conch.d.ts.

import { DOMException, Object, Set, TypeError, URL, encodeURIComponent } from './primitives.js'
import { UNAVAILABLE } from './policy.js'
import { shown } from './log.js'
import { createSocket } from './socket.js'

/** @import { Config, Driver, Log, Owner, Policy, Relay } from './types.d.ts' */

/**
 * @param {Config} config
 * @param {{ policy: Policy, relay: Relay, log: Log, driver: Driver }} parts
 * @returns {Net}
 */
export function createNet(config, parts) {
  const { policy, log } = parts
  /** @type {Set<import('./socket.js').Handle>} */
  const live = new Set()

  /**
   * @param {Owner} owner
   * @param {unknown} given
   * @param {unknown} options
   */
  function connect(owner, given, options) {
    requireSockets()
    if (owner.released) throw misuse('InvalidStateError', `the owner ${owner.label} was released`)
    const text = `${given}`
    try {
      const url = admit(policy, text)
      const protocols = protocolsOf(options)
      const handle = createSocket({ ...parts, url, owner, protocols, done: () => live.delete(handle) })
      live.add(handle)
      return handle.socket
    } catch (error) {
      log.debug(owner.label, `refused ${withoutSecrets(text)}: ${error instanceof Error ? error.message : error}`)
      throw error
    }
  }

  function requireSockets() {
    if (!policy.available) throw new DOMException(UNAVAILABLE, 'NotSupportedError')
  }

  /** @param {(owner: Owner) => boolean} which */
  function drop(which) {
    for (const handle of [...live]) if (which(handle.owner)) handle.drop()
  }

  /** @param {Owner} owner */
  function membersFor(owner) {
    return {
      connect: (/** @type {unknown} */ url, /** @type {unknown} */ options) => connect(owner, url, options),
      isAvailable: () => policy.available,
      allowedHosts() {
        requireSockets()
        return [...config.allowedHosts]
      }
    }
  }

  return Object.freeze({
    ...membersFor({ label: 'game', persistent: false, released: false }),
    forOwner(/** @type {unknown} */ label, /** @type {NetOwnerOptions | undefined} */ options) {
      const owner = { label: labelOf(label), persistent: Boolean(options && options.persistent), released: false }
      return Object.freeze({
        ...membersFor(owner),
        label: owner.label,
        persistent: owner.persistent,
        release() {
          owner.released = true
          drop((other) => other === owner)
        }
      })
    },
    sceneChanged() {
      drop((owner) => !owner.persistent)
    }
  })
}

/**
 * The URL to connect to; throws for everything that is the author's to correct.
 * @param {Policy} policy
 * @param {string} text
 */
function admit(policy, text) {
  let url
  try {
    url = new URL(text)
  } catch {
    throw misuse('SyntaxError', `'${withoutSecrets(text)}' is not a URL; write wss://host/path`)
  }
  const scheme = policy.scheme(url)
  if (scheme) throw misuse('SyntaxError', scheme)
  if (url.href.includes('#')) throw misuse('SyntaxError', `${shown(url)} has a fragment, which a socket URL cannot have`)
  if (url.username || url.password) {
    throw misuse('SyntaxError', `${shown(url)} has a user name or password in it; log in with a message instead`)
  }
  const host = policy.host(url)
  if (host) throw misuse('SecurityError', host)
  return url
}

/**
 * @param {unknown} options
 * @returns {string | string[] | undefined}
 */
function protocolsOf(options) {
  if (options === undefined || options === null) return undefined
  if (typeof options !== 'object' || Symbol.iterator in options) {
    throw new TypeError("net.connect: subprotocols are given as { protocols: ['name'] }")
  }
  return /** @type {{ protocols?: string | string[] }} */ (options).protocols
}

/** @param {unknown} label */
function labelOf(label) {
  if (typeof label !== 'string' || label === '') throw new TypeError('net.forOwner: the label is a text, not empty')
  const short = label.slice(0, 100)
  try {
    encodeURIComponent(short)
    return short
  } catch {
    // half a surrogate pair cannot be part of a URL
    return short.replace(/[\uD800-\uDFFF]/g, '\uFFFD')
  }
}

/**
 * @param {string} name
 * @param {string} message
 */
function misuse(name, message) {
  return new DOMException(`net.connect: ${message}`, name)
}

/**
 * An address as the game wrote it, without what may be a token or a password.
 * @param {string} text
 */
function withoutSecrets(text) {
  return text.replace(/[?#].*/s, '').replace(/^(\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]*)[^/\\]*@/i, '$1')
}
