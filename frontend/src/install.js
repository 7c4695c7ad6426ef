// Joins the parts and puts them into one page, frame or worker.

import { Error, Object, defineProperty } from './primitives.js'
import { createPolicy } from './policy.js'
import { createRelay } from './relay.js'
import { createLog } from './log.js'
import { createDriver } from './driver.js'
import { createNet } from './net.js'
import { installWebSocket } from './websocket.js'
import { installWorkers } from './workers.js'
import { keepStorage } from './storage.js'
import { installShell } from './shell.js'
import { develop } from './dev.js'

/** @import { Config } from './types.d.ts' */

/** Version of what conch.d.ts describes. */
const VERSION = '1.0'

const INSTALLED = Symbol.for('conch.page')

/** Where the session script finds what it needs; it takes it away. */
const SESSION = Symbol.for('conch.session')

/**
 * Does nothing in a scope that has the script already, or that has no sockets at all (a worklet).
 * @param {any} scope globalThis
 * @param {Config} config
 */
export function install(scope, config) {
  if (scope[INSTALLED] || !scope.WebSocket) return
  defineProperty(scope, INSTALLED, { value: true })
  if (config.dev) develop(scope)

  const policy = createPolicy(config)
  const relay = createRelay(config)
  const log = createLog(config)
  const driver = createDriver(scope.WebSocket)
  const net = createNet(config, { policy, relay, log, driver })
  const conch = Object.freeze(config.session || !scope.document ? { version: VERSION, net } : { version: VERSION, net, NetSessionManager: noSessions })

  // A game may have these names for itself, declared in any way: only a configurable property lets `let net` load.
  for (const [name, value] of /** @type {const} */ ([['conch', conch], ['net', net]])) {
    defineProperty(scope, name, { value, writable: true, configurable: true })
  }
  if (config.relayPorts.length > 0) installWebSocket(scope, { policy, relay, log, driver })
  installWorkers(scope, `${config.ownOrigin}/__conch/page.js`)

  if (!scope.document) return
  if (config.session) {
    const { ownOrigin: origin, allowedHosts } = config
    defineProperty(scope, SESSION, { value: { driver, log, origin, allowedHosts }, configurable: true })
  }
  installShell(scope, config.debug)
  if (scope.top === scope) keepStorage(scope, config)
}

/** Stands for NetSessionManager in a game whose manifest does not have it. */
function noSessions() {
  throw new Error('NetSessionManager: this game has no sessions; set network.sessions to true in conch.json')
}
