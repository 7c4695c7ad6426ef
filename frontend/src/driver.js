// One native WebSocket class, with its members as they were before the game could change them.

import { apply, construct, getOwnPropertyDescriptor, getter, listen, unlisten } from './primitives.js'

/** @import { Driver } from './types.d.ts' */

/**
 * @param {typeof WebSocket} Native
 * @returns {Driver}
 */
export function createDriver(Native) {
  const proto = Native.prototype
  const { send, close } = proto
  const setBinaryType = getOwnPropertyDescriptor(proto, 'binaryType')?.set
  const { MessageEvent, CloseEvent } = globalThis
  return {
    open(href, protocols) {
      const ws = construct(Native, protocols === undefined ? [href] : [href, protocols])
      if (setBinaryType) apply(setBinaryType, ws, ['arraybuffer'])
      return ws
    },
    send: (ws, data) => apply(send, ws, [data]),
    close: (ws, ...args) => apply(close, ws, args),
    readyState: getter(proto, 'readyState'),
    bufferedAmount: getter(proto, 'bufferedAmount'),
    protocol: getter(proto, 'protocol'),
    listen,
    unlisten,
    data: getter(MessageEvent?.prototype, 'data'),
    code: getter(CloseEvent?.prototype, 'code'),
    reason: getter(CloseEvent?.prototype, 'reason'),
    wasClean: getter(CloseEvent?.prototype, 'wasClean')
  }
}
