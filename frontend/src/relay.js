// The way to the relay in the launcher: one loopback address per attempt, and the question why one failed.

import { URL, clearTimeout, encodeURIComponent, fetch, min, random, setTimeout, Promise } from './primitives.js'
import { hostOf, portOf } from './hosts.js'

/** @import { Config, Relay } from './types.d.ts' */

/** How long onError waits for its text, in milliseconds. */
const REASON_TIMEOUT = 3000

/**
 * @param {Config} config
 * @param {typeof globalThis.fetch} [get]
 * @returns {Relay}
 */
export function createRelay(config, get = fetch) {
  const ports = config.relayPorts
  const own = config.ownOrigin ? new URL(config.ownOrigin) : null
  const session = randomName()
  let count = 0
  // Chromium makes one handshake at a time per address and WebKitGTK six, so that attempts take turns on the ports;
  // the random start keeps frames and workers apart.
  let turn = min(ports.length - 1, random() * ports.length | 0)

  /** @param {URL} url */
  function far(url) {
    const isOwn = own !== null && hostOf(url) === hostOf(own) && portOf(url) === portOf(own)
    return isOwn ? `ws://${own.host}${url.pathname}${url.search}` : url.href
  }

  return {
    address(url, owner, raw) {
      const id = `${session}-${(count++).toString(36)}`
      if (ports.length === 0) return { id, href: url.href }
      turn = (turn + 1) % ports.length
      const query = `u=${encodeURIComponent(far(url))}&id=${id}&o=${encodeURIComponent(owner)}${raw ? '&raw=1' : ''}`
      return { id, href: `ws://127.0.0.1:${ports[turn]}/?${query}` }
    },

    reason(id) {
      if (ports.length === 0) return Promise.resolve('')
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, REASON_TIMEOUT, '')
        ask(get, `${config.ownOrigin}/__conch/net/reason?id=${id}`).then((text) => {
          clearTimeout(timer)
          resolve(text)
        })
      })
    }
  }
}

/**
 * @param {typeof globalThis.fetch} get
 * @param {string} address
 */
async function ask(get, address) {
  try {
    const response = await get(address, { cache: 'no-store', credentials: 'same-origin' })
    if (response.status !== 200) return ''
    const body = await response.json()
    return typeof body.message === 'string' ? body.message : ''
  } catch {
    return ''
  }
}

function randomName() {
  let name = ''
  while (name.length < 12) name += (random() * 36 | 0).toString(36)
  return name
}
