// window.WebSocket: a Proxy over the native class whose construct call goes to the relay. Everything else about a
// socket stays the browser's own code. WHATWG WebSockets Standard, "The WebSocket interface".

import {
  DOMException, Proxy, Set, URL, WeakMap, apply, baseURL, construct, defineProperty, getOwnPropertyDescriptor, getter
} from './primitives.js'
import { UNAVAILABLE } from './policy.js'
import { closing, shown } from './log.js'

/** @import { Driver, Log, Policy, Relay } from './types.d.ts' */

/** Sockets that the game opens itself belong to the page. */
const OWNER = 'game'

/**
 * Puts the proxy in place of scope.WebSocket and patches the three members that would show the relay's address.
 * @param {typeof globalThis} scope
 * @param {{ policy: Policy, relay: Relay, log: Log, driver: Driver }} parts
 */
export function installWebSocket(scope, parts) {
  const Native = scope.WebSocket
  /** @type {WeakMap<object, URL>} */
  const targets = new WeakMap()
  const announce = createAnnouncer(parts)

  /** @type {typeof WebSocket} */
  const Wrapped = new Proxy(Native, {
    construct(target, args, newTarget) {
      const made = newTarget === Wrapped ? target : newTarget
      if (args.length === 0) return construct(target, args, made)
      const given = `${args[0]}`
      const rest = args.length > 1 ? [args[1]] : []
      const url = socketURL(given)
      if (!url) return refuse(target, given, rest)
      const { id, href } = parts.relay.address(url, OWNER, true)
      const ws = construct(target, [href, ...rest], made)
      targets.set(ws, url)
      announce(ws, url, id)
      return ws
    }
  })

  patchGetter(Native.prototype, 'url', (self, value) => targets.get(self)?.href ?? value)
  const targetOf = getter(scope.Event.prototype, 'target')
  patchGetter(scope.MessageEvent.prototype, 'origin', (self, value) => {
    const url = self.isTrusted ? targets.get(targetOf(self)) : undefined
    return url ? url.origin : value
  })
  replace(Native.prototype, 'constructor', Wrapped)
  replace(scope, 'WebSocket', Wrapped)
}

/**
 * The URL record that the Standard's constructor arrives at, null where it throws.
 * @param {string} given
 */
export function socketURL(given) {
  let url
  try {
    url = new URL(given, baseURL())
  } catch {
    return null
  }
  if (url.protocol === 'http:') url.protocol = 'ws:'
  else if (url.protocol === 'https:') url.protocol = 'wss:'
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:') return null
  // hash is empty for a bare '#', which is refused too
  if (url.href.includes('#')) return null
  return url
}

/**
 * Lets the native class refuse the URL, so that the game gets the engine's own error.
 * @param {typeof WebSocket} Native
 * @param {string} given
 * @param {any[]} rest
 * @returns {never}
 */
function refuse(Native, given, rest) {
  construct(Native, [given, ...rest]).close()
  throw new DOMException(`Failed to construct 'WebSocket': The URL '${given}' is invalid.`, 'SyntaxError')
}

/**
 * Says on the console what the events of a WebSocket cannot say. Listeners that would keep a forgotten socket alive
 * are taken off when it opens.
 * @param {{ policy: Policy, relay: Relay, log: Log, driver: Driver }} parts
 * @returns {(ws: WebSocket, url: URL, id: string) => void}
 */
function createAnnouncer({ policy, relay, log, driver }) {
  /** @type {Set<string>} */
  const noted = new Set()

  return (ws, url, id) => {
    const refusal = policy.available ? policy.raw(url) : UNAVAILABLE
    if (refusal) {
      log.error(OWNER, `refused ${shown(url)}: ${refusal}`)
      return
    }
    if (policy.upgraded(url) && !noted.has(url.host)) {
      noted.add(url.host)
      log.note(OWNER, `${shown(url)} is tried as wss://, since plain ws:// is accepted only to this machine`)
    }
    const stop = () => {
      driver.unlisten(ws, 'open', onOpen)
      driver.unlisten(ws, 'error', onError)
    }
    const onOpen = () => {
      stop()
      log.debug(OWNER, `connected ${shown(url)}`)
    }
    const onError = () => {
      stop()
      relay.reason(id).then((text) => { if (text) log.error(OWNER, `failed ${shown(url)}: ${text}`) })
    }
    driver.listen(ws, 'open', onOpen)
    driver.listen(ws, 'error', onError)
    // A close listener keeps an open socket alive that the game has forgotten: only while debugging.
    if (log.debugging) driver.listen(ws, 'close', (event) => {
      log.debug(OWNER, `closed ${shown(url)} (${closing(driver.code(event), driver.reason(event))})`)
    })
  }
}

/**
 * Changes what an accessor answers; its name, length and text stay those of the browser's function.
 * @param {object} proto
 * @param {string} name
 * @param {(self: any, value: any) => any} answer
 */
function patchGetter(proto, name, answer) {
  const own = getOwnPropertyDescriptor(proto, name)
  if (!own || !own.get) return
  const get = new Proxy(own.get, {
    apply: (target, self, args) => answer(self, apply(target, self, args))
  })
  defineProperty(proto, name, { ...own, get })
}

/**
 * Replaces a value and keeps its attributes.
 * @param {object} holder
 * @param {string} name
 * @param {unknown} value
 */
function replace(holder, name, value) {
  const own = getOwnPropertyDescriptor(holder, name)
  defineProperty(holder, name, { writable: true, configurable: true, enumerable: false, ...own, value })
}
