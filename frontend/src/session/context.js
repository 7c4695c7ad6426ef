// What a session looks like from inside: its states and objects, and the functions that others may call.

import { Error, Object } from '../primitives.js'

/** @import { Change } from './types.d.ts' */

/**
 * @param {{ ids: () => { sessionId: string, projectId: string, buildHash: string }, gameState: () => any,
 *   playerState: () => any, playerStates: Map<number, any>, objects: Map<number, any>,
 *   onRpc: (name: unknown, handler: unknown, anyone: boolean) => () => void, change: Change | null }} parts change is null where the
 *   session host alone changes things
 */
export function createContext({ ids, gameState, playerState, playerStates, objects, onRpc, change }) {
  const players = readOnly(playerStates)
  const all = readOnly(objects)

  function authority() {
    if (!change) throw new Error('only the session host spawns, despawns and gives objects away')
    return change
  }

  return Object.seal({
    get sessionId() { return ids().sessionId },
    get projectId() { return ids().projectId },
    get buildHash() { return ids().buildHash },
    get gameState() { return gameState() || null },
    get playerState() { return playerState() || null },
    get playerStates() { return players },
    get objects() { return all },
    spawn: (/** @type {any} */ type, /** @type {any} */ props, /** @type {any} */ options) => authority().spawn(type, props, options),
    despawn: (/** @type {any} */ id) => authority().despawn(id),
    setOwner: (/** @type {any} */ id, /** @type {any} */ connection) => authority().setOwner(id, connection),
    onRpc: (/** @type {unknown} */ name, /** @type {unknown} */ handler, /** @type {any} */ options) => (
      onRpc(name, handler, Boolean(options && options.anyone))),
    /** @type {any} */
    sceneLoader: undefined
  })
}

const READERS = ['get', 'has', 'keys', 'values', 'entries']

/**
 * A map that can only be read.
 * @param {Map<number, any>} map
 */
function readOnly(map) {
  /** @type {any} */
  const view = {
    get size() { return map.size },
    forEach: (/** @type {Function} */ run) => map.forEach((value, key) => run(value, key, view)),
    [Symbol.iterator]: () => map[Symbol.iterator]()
  }
  for (const name of READERS) view[name] = (/** @type {any} */ key) => /** @type {any} */ (map)[name](key)
  return Object.freeze(view)
}
