// Scenes as a game names them, and scenes that it loaded.

import { Object, TypeError } from '../primitives.js'
import { formatUUID } from './state.js'

/** @import { Env } from './types.d.ts' */

/**
 * @param {Env} env
 */
export function newUUID(env) {
  return formatUUID(env.random(16), 0x40)
}

/**
 * A scene that was loaded for a transition, from what the game gave, frozen.
 * @param {Env} env
 * @param {{ uuid: string, name: string, tid: number }} scene
 * @param {any} given
 */
export function instanceOf(env, { uuid, name, tid }, given) {
  const instanceId = given && typeof given.instanceId === 'string' ? given.instanceId : newUUID(env)
  return Object.freeze({ ...given, instanceId, scene: Object.freeze({ uuid, name }), transitionId: tid })
}

/**
 * The name and id of a Scene or of a handle on one.
 * @param {any} scene
 */
export function sceneOf(scene) {
  if (!scene || typeof scene.uuid !== 'string' || scene.uuid === '' || scene.uuid.length > 36) {
    throw new TypeError('hostLoadScene: a scene has a uuid and a name')
  }
  return { uuid: /** @type {string} */ (scene.uuid), name: `${scene.name === undefined ? '' : scene.name}` }
}
