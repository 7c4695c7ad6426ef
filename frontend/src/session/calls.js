// Calls between nodes: those that wait for an outcome, and the functions that others may call.

import { Map, Object, TypeError, apply } from '../primitives.js'
import { createOp } from './op.js'
import { DataStream, bytesOf, utf8 } from './stream.js'

/** @import { Operation, SessionLog } from './types.d.ts' */

const MAX_REPLY = 64 << 10

/** How long a call waits for its outcome, in milliseconds. */
const TIMEOUT = 10000

/**
 * @typedef {object} Pending one call, to one or more connections
 * @property {number} id
 * @property {Operation} operation
 * @property {boolean} many whether the outcome is a list
 * @property {Map<number, any>} results by connection, in the order asked for; null while unknown
 * @property {number} at when it was made
 * @property {boolean} sent
 * @property {boolean} lost the connection that it went over is gone
 * @property {() => boolean} takeBack
 */

/**
 * @param {{ log: SessionLog, now: () => number, later: (run: () => void) => void }} parts
 */
export function createCalls({ log, now, later }) {
  /** @type {Map<string, { run: Function, anyone: boolean }>} */
  const handlers = new Map()
  /** @type {Map<number, Pending>} */
  const pending = new Map()
  let last = 0

  /** @param {Pending} call */
  function finish(call) {
    const results = [...call.results.values()]
    if (results.some((result) => result === null)) return
    pending.delete(call.id)
    call.operation.succeed(call.many ? Object.freeze(results) : results[0])
  }

  return {
    handlers,
    get inFlight() { return pending.size },

    /**
     * A call that waits. takeBack is asked when the game cancels it, and is true when nothing has left.
     * @param {number[]} connections
     * @param {boolean} many
     * @param {() => boolean} takeBack
     * @returns {Pending}
     */
    open(connections, many, takeBack) {
      const id = ++last
      const operation = createOp({ log, later, cancel: () => takeBack() && pending.delete(id) })
      /** @type {Pending} */
      const call = { id, operation, many, results: new Map(), at: now(), sent: false, lost: false, takeBack }
      for (const connection of connections) call.results.set(connection, null)
      pending.set(id, call)
      return call
    },

    /**
     * The outcome on one connection.
     * @param {number} id
     * @param {number} connection
     * @param {string} status
     * @param {Uint8Array} [value]
     * @param {number} [at] when it came
     */
    settle(id, connection, status, value, at = now()) {
      const call = pending.get(id)
      if (!call || call.results.get(connection) !== null) return
      const result = { callId: id, connectionId: connection, rttMs: at - call.at, status }
      call.results.set(connection, Object.freeze(value && value.length ? { ...result, value: DataStream.from(value) } : result))
      finish(call)
    },

    /**
     * @param {number} id
     * @param {string} error
     */
    fail(id, error) {
      const call = pending.get(id)
      pending.delete(id)
      if (call) call.operation.fail(error)
    },

    /**
     * Every call fails: the session has ended.
     * @param {string} error
     */
    failAll(error) {
      for (const id of [...pending.keys()]) this.fail(id, error)
    },

    /** The connection broke: what had been sent may or may not have run. */
    linkLost() {
      for (const call of pending.values()) if (call.sent) call.lost = true
    },

    /** Ends what was lost with an old connection. */
    endLost() {
      for (const call of [...pending.values()]) {
        if (call.lost) for (const connection of call.results.keys()) this.settle(call.id, connection, 'unknown')
      }
    },

    /** Ends the calls that waited too long. */
    expire() {
      for (const call of [...pending.values()]) {
        if (now() - call.at < TIMEOUT) continue
        if (call.takeBack()) this.fail(call.id, 'timeout')
        for (const connection of call.results.keys()) this.settle(call.id, connection, 'timeout')
      }
    },

    /**
     * @param {unknown} name
     * @param {unknown} run
     * @param {boolean} anyone
     */
    handle(name, run, anyone) {
      const text = callName(name)
      if (typeof run !== 'function') throw new TypeError('onRpc: a handler is a function')
      const handler = { run, anyone }
      handlers.set(text, handler)
      return () => handlers.get(text) === handler && handlers.delete(text)
    },

    /**
     * Runs a handler. answer is called once, at once or when the handler's promise settles.
     * @param {string} name
     * @param {Uint8Array} args
     * @param {number} from
     * @param {number} object
     * @param {(status: string, value?: Uint8Array) => void} answer
     */
    run(name, args, from, object, answer) {
      const handler = handlers.get(name)
      if (!handler) return answer('no_handler')
      const threw = (/** @type {unknown} */ error) => {
        log.error(`the handler of the call ${name} threw:`, error)
        answer('handler_threw')
      }
      const reply = (/** @type {unknown} */ value) => {
        const bytes = bytesOf(value)
        if (bytes.length > MAX_REPLY) answer('too_large')
        else answer('ok', bytes.slice())
      }
      try {
        const value = apply(handler.run, undefined, [DataStream.from(args), from, object])
        if (value && typeof value.then === 'function') value.then(reply).then(undefined, threw)
        else reply(value)
      } catch (error) {
        threw(error)
      }
    }
  }
}

/** @param {unknown} name */
export function callName(name) {
  const length = typeof name === 'string' ? utf8(name).length : 0
  if (length === 0 || length > 128) throw new TypeError('the name of a call is a text of 1 to 128 bytes')
  return /** @type {string} */ (name)
}
