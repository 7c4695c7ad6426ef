// One connection of a client to a host, from the dial to its end: docs/protocol.md, "Joining" and "Closes".

import { RangeError, Uint8Array } from '../primitives.js'
import { equal, hmac, pbkdf2, sha256 } from './hash.js'
import { MAX_MESSAGE, T, frameOf, parse } from './wire.js'

/** @import { Address, Ending, Env, Frame } from './types.d.ts' */

const VERSION = 1
const MAX_ITERATIONS = 1000000

/** @typedef {ReturnType<typeof openConnection>} Connection */

/**
 * @param {Env} env
 * @param {{ address: Address, projectId: string, resuming: boolean, secret: (need: number) => string | null, auth: () => object,
 *   onOpen?: () => void, onWelcome: (welcome: Frame) => void, onFrame: (frame: Frame) => void, onEnd: (ending: Ending) => void }} parts
 *   secret is the password (need 1) or the code (need 2), null when there is none; onEnd is called once
 */
export function openConnection(env, { address, projectId, resuming, secret, auth, onOpen, onWelcome, onFrame, onEnd }) {
  const nonce = env.random(16)
  /** @type {'dial' | 'hello' | 'auth' | 'live' | 'ended'} */
  let stage = 'dial'
  /** @type {Uint8Array | null} the proof that the host has to give */
  let expected = null

  const transport = env.connect(address, { projectId })
  transport.onopen = () => {
    if (stage !== 'dial') return
    stage = 'hello'
    if (onOpen) onOpen()
    send(T.hello, {
      minVersion: VERSION, maxVersion: VERSION, nonce, project: sha256('conch.session.1 client', nonce, projectId)
    })
  }
  transport.onmessage = (data) => {
    if (stage === 'ended') return
    try {
      if (typeof data === 'string') throw new RangeError('a text message')
      if (data.byteLength > MAX_MESSAGE) throw new RangeError('message too long')
      for (const frame of parse(new Uint8Array(data))) take(frame)
    } catch (error) {
      env.log.debug(`the host broke the protocol: ${error}`)
      fault(stage === 'live' ? 'protocol_error' : 'not_a_host')
    }
  }
  transport.onclose = (code, reason) => end({ code, reason, text: '' })

  /** @param {Frame} frame */
  function take(frame) {
    if (stage === 'ended') return
    if (stage === 'live') {
      if (frame.type === T.bye) end({ code: 0, bye: frame.code, text: frame.text })
      else onFrame(frame)
    } else if (frame.type === T.reject) {
      end({ code: 4003, reject: frame.code, text: frame.text, retryAfter: frame.retryAfterMillis })
    } else if (frame.type === T.challenge && stage === 'hello') {
      challenged(frame)
    } else if (frame.type === T.welcome && stage === 'auth') {
      welcomed(frame)
    } else {
      throw new RangeError(`frame ${frame.type} while joining`)
    }
  }

  /** @param {Frame} challenge */
  function challenged({ version, nonce: theirs, project, need, salt, iterations }) {
    if (!equal(project, sha256('conch.session.1 host', nonce, theirs, projectId))) return fault('not_a_host')
    if (version !== VERSION) return fault('protocol_version')
    if (need > 2 || iterations > MAX_ITERATIONS) return fault('not_a_host')
    stage = 'auth'
    if (need === 0 || resuming) return answer(new Uint8Array(0))
    const word = secret(need)
    if (word === null) return fault(need === 1 ? 'bad_password' : 'bad_code')
    pbkdf2(word, salt, iterations, (run) => env.setTimeout(run, 0)).then((key) => {
      if (stage !== 'auth') return
      expected = hmac(key, 'conch.session.1 welcome', nonce, theirs, projectId)
      answer(hmac(key, 'conch.session.1 join', nonce, theirs, projectId))
    })
  }

  /** @param {Uint8Array} proof */
  function answer(proof) {
    send(T.auth, { ...auth(), proof })
  }

  /** @param {Frame} welcome */
  function welcomed(welcome) {
    if ((expected && !equal(welcome.proof, expected)) || welcome.resumed !== resuming) return fault('not_a_host')
    stage = 'live'
    onWelcome(welcome)
  }

  /**
   * Ends the connection from here, for something the other side did.
   * @param {string} code
   */
  function fault(code) {
    if (stage === 'live') send(T.bye, { code: 'protocol_error', text: '' })
    end({ code: 0, fault: code, text: '' }, 4002, code)
  }

  /**
   * @param {Ending} ending
   * @param {number} [code]
   * @param {string} [reason]
   */
  function end(ending, code = 4000, reason = 'left') {
    if (stage === 'ended') return
    const last = stage
    stage = 'ended'
    transport.close(code, reason)
    onEnd({ stage: last, ...ending })
  }

  /**
   * @param {number} type
   * @param {object} body
   */
  function send(type, body) {
    write(frameOf(type, body))
  }

  /** @param {Uint8Array} frame */
  function write(frame) {
    if (stage !== 'ended') transport.send(frame)
  }

  return {
    send,
    write,
    get live() { return stage === 'live' },
    get opened() { return stage !== 'dial' },

    /**
     * Says goodbye and closes; onEnd is not called.
     * @param {number} code
     * @param {string} word
     */
    close(code, word) {
      if (stage === 'live') send(T.bye, { code: word, text: '' })
      if (stage !== 'ended') transport.close(code, word)
      stage = 'ended'
    }
  }
}
