// dist/session.js: NetSessionManager, behind the page script in Conch and by itself in a plain browser. Defines
// conch.NetSessionManager, what goes with it, and the alias NetSessionManager.

import { Object, console, defineProperty } from '../primitives.js'
import { createDriver } from '../driver.js'
import { createLog } from '../log.js'
import { createSessionAPI } from './api.js'

/** @import { SessionParts } from '../types.d.ts' */

/** @type {any} */
const scope = globalThis

/** As in ../install.js, which this file does not import: it would bring the page script along. */
const PARTS = Symbol.for('conch.session')

/** @returns {SessionParts} */
function takeParts() {
  const parts = scope[PARTS]
  delete scope[PARTS]
  return parts || { driver: createDriver(scope.WebSocket), log: createLog({ debug: false }, console), origin: '', allowedHosts: [] }
}

if (scope.document && !(scope.conch && scope.conch.NetSessionManager)) {
  const api = createSessionAPI(scope, takeParts())
  const { NetSessionManager } = api
  const conch = Object.freeze({ version: '1.0', ...scope.conch, ...api })
  // A game may have these names for itself, declared in any way: only a configurable property lets its own load.
  for (const [name, value] of /** @type {const} */ ([['conch', conch], ['NetSessionManager', NetSessionManager]])) {
    defineProperty(scope, name, { value, writable: true, configurable: true })
  }
}
