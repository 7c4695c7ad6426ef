// The scenes of a client: one is loading or was loaded last, and one is played. docs/protocol.md, "Scenes".

import { Error, Promise } from '../primitives.js'
import { instanceOf } from './scene.js'
import { cut } from './text.js'

/** @import { Env, Frame } from './types.d.ts' */

/**
 * @param {Env} env
 * @param {{ say: (event: string, ...args: unknown[]) => void, sceneLoader: () => any, leave: (seamless: boolean) => void,
 *   report: (body: object) => void, later: (run: () => void) => void, appear: () => void }} parts sceneLoader is the game's, if
 *   there is one; leave drops the objects of the scene before; appear shows those that came before their scene was loaded
 */
export function createClientScenes(env, { say, sceneLoader, leave, report, later, appear }) {
  let scene = {
    tid: 0, name: '', uuid: '', loaded: /** @type {any} */ (null), reported: false, failure: '', asked: false, active: false
  }
  /** @type {any} */
  let active = null
  let lastLoaded = 0

  function tell() {
    report({ transition: scene.tid, ok: scene.failure === '', text: scene.failure })
  }

  function begin() {
    if (scene.active || !scene.loaded) return
    scene.active = true
    active = scene.loaded
    appear()
    say('onClientSceneActivate', scene.tid)
  }

  /**
   * @param {any} instance
   * @param {boolean} ok
   * @param {string} text
   */
  function loaded(instance, ok, text) {
    if (scene.tid === 0) env.log.note('notifyClientSceneLoaded: the host has not asked for a scene')
    if (!instance || instance.transitionId !== scene.tid || scene.reported) return
    scene.reported = true
    if (ok) {
      scene.loaded = instanceOf(env, scene, instance)
      lastLoaded = scene.tid
    } else {
      scene.failure = cut(text || 'the scene could not be loaded', 512)
    }
    tell()
    if (ok && scene.asked) later(begin)
  }

  return {
    /** The scene that is played. */
    get active() { return active },

    /** The last transition whose scene was loaded; 0: none. */
    get lastLoaded() { return lastLoaded },

    /** Whether objects have a scene to be in. */
    get ready() { return scene.tid === 0 || scene.loaded !== null },

    /** @param {Frame} frame */
    load({ transition, uuid, name, seamless }) {
      if (transition < scene.tid) return
      if (transition === scene.tid) return scene.reported ? tell() : undefined
      leave(seamless)
      scene = { tid: transition, name, uuid, loaded: null, reported: false, failure: '', asked: false, active: false }
      const current = scene
      say('onClientSceneLoadRequested', uuid, name, seamless, transition)
      const loader = sceneLoader()
      if (typeof loader !== 'function') return
      new Promise((resolve) => resolve(loader({ uuid, name }, seamless))).then(
        (made) => loaded({ ...instanceOf(env, current, made) }, true, ''),
        (error) => {
          env.log.error(`the scene ${name} could not be loaded:`, error)
          loaded({ transitionId: transition }, false, error instanceof Error ? error.message : '')
        })
    },

    /** @param {number} transition */
    activate(transition) {
      if (transition !== scene.tid) return
      scene.asked = true
      begin()
    },

    loaded
  }
}
