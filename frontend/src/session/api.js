// The names that a game finds on conch for its sessions.

import { Object } from '../primitives.js'
import { createEnv } from './env.js'
import { createManagerClass } from './manager.js'
import { DataStream } from './stream.js'

/** @import { SessionParts } from '../types.d.ts' */

const NetSessionMode = Object.freeze({ None: 'none', Host: 'host', Dedicated: 'dedicated', Client: 'client' })
const NetRole = Object.freeze({ None: 'none', Authority: 'authority', Player: 'player', Spectator: 'spectator' })

/**
 * @param {any} scope globalThis
 * @param {SessionParts} parts
 * @returns {ConchSessions}
 */
export function createSessionAPI(scope, parts) {
  const { origin, allowedHosts } = parts
  // its events and most of its accessors are made in loops, which the types do not see
  /** @type {any} */
  const NetSessionManager = createManagerClass(createEnv(scope, parts), { local: origin !== '', allowedHosts })
  return { NetSessionManager, NetSessionMode, NetRole, DataStream }
}
