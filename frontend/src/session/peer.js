// What a host knows of a peer at one moment.

import { Object, Uint8Array } from '../primitives.js'
import { cleanName } from './text.js'

const NOBODY = Object.freeze({
  isValid: false, connectionId: 0, state: 'gone', role: 'player', playerName: '', clientKind: 'browser', joinedAtEpochMs: 0, rttMs: 0,
  jitterMs: 0, transitionId: 0, remoteAddress: '', userData: new Uint8Array(0),
  stats: Object.freeze({ bytesIn: 0, bytesOut: 0, queuedBytes: 0, droppedRpcs: 0 })
})

/** The answer for a peer that is not there. */
export const nobody = () => NOBODY

/** @param {any} info as the launcher tells it */
export function peerInfo(info) {
  return Object.freeze({
    isValid: true, connectionId: info.id, state: info.state, role: info.role, playerName: cleanName(info.name), clientKind: info.kind,
    joinedAtEpochMs: info.joinedAt, rttMs: info.rtt, jitterMs: info.jitter, transitionId: info.transition,
    remoteAddress: info.address, userData: info.userData,
    stats: Object.freeze({
      bytesIn: info.bytesIn, bytesOut: info.bytesOut, queuedBytes: info.queued, droppedRpcs: info.dropped
    })
  })
}
