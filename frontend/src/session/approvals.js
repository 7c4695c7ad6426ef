// Join requests that the host's script decides about.

import { AbortController, Map, Object } from '../primitives.js'
import { fieldsOf } from './hoststate.js'
import { cut } from './text.js'

/** @import { Env, HostStart } from './types.d.ts' */

/**
 * @param {Env} env
 * @param {{ callback: () => unknown, ids: HostStart, say: (...command: any[]) => void }} parts callback is the game's, as it is now
 */
export function createApprovals(env, { callback, ids, say }) {
  /** @type {Map<number, AbortController>} those that nobody has decided */
  const requests = new Map()
  /** @type {(() => void)[]} those that were not asked yet */
  let waiting = []

  /** @param {number} number */
  function forget(number) {
    const request = requests.get(number)
    requests.delete(number)
    if (request) request.abort()
  }

  /**
   * @param {number} number
   * @param {any} asked as the launcher tells it
   */
  function run(number, asked) {
    const request = requests.get(number)
    if (!request) return
    const answer = (/** @type {any} */ decision) => {
      const given = decision !== null && typeof decision === 'object' ? decision : { approved: decision }
      const fields = given.playerState ? fieldsOf(given.playerState) : []
      const role = given.role === 'spectator' || given.role === 'player' ? given.role : ''
      const reason = cut(`${given.reason || ''}`, 512)
      // not when it is too late, or the client is gone
      if (requests.delete(number)) say('decide', number, given.approved === true, reason, role, fields)
    }
    const failed = (/** @type {unknown} */ error) => {
      env.log.error('connectionApprovalCallback threw:', error)
      if (requests.delete(number)) say('decide', number, null, '', '', [])
    }
    const decide = callback()
    if (typeof decide !== 'function') return answer(true)
    try {
      const decision = decide(Object.freeze({
        projectId: ids.projectId, buildHash: asked.build, sessionId: ids.sessionId, playerName: asked.name,
        asSpectator: asked.spectator, userData: asked.userData, provisionalConnectionId: number, remoteAddress: asked.address,
        clientKind: asked.kind, buildMatches: asked.buildMatches, signal: request.signal
      }))
      if (decision && typeof decision.then === 'function') decision.then(answer).then(undefined, failed)
      else answer(decision)
    } catch (error) {
      failed(error)
    }
  }

  return {
    /**
     * @param {number} number
     * @param {any} asked
     */
    ask(number, asked) {
      requests.set(number, new AbortController())
      waiting.push(() => run(number, asked))
    },

    /** The client left, or the time is over. */
    forget,

    /** Asks about all that wait. */
    decide() {
      const all = waiting
      waiting = []
      for (const ask of all) ask()
    },

    stop() {
      waiting = []
      for (const number of [...requests.keys()]) forget(number)
    }
  }
}
