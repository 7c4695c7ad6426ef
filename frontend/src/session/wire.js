// The session's wire format: frames and their bodies. The twin of session/wire in Go, held to it by
// session/testdata/vectors.json; docs/protocol.md describes it.

import { RangeError, Uint8Array } from '../primitives.js'
import { decodeFirst } from './cbor.js'
import { over, textOf, unlimited, utf8 } from './stream.js'

/** @import { Entity, Field, Frame } from './types.d.ts' */
/** @import { DataStream } from './stream.js' */

export const SUBPROTOCOL = 'conch.session.1'
export const PATH = '/_conch/session'

/** What a host may send in one message. */
export const MAX_MESSAGE = 512 << 10
export const MAX_SNAPSHOT = 16 << 20
export const MAX_NAMES = 4096

const SKIPPABLE = 1

export const GAME = 0
export const PLAYER = 1
export const OBJECT = 2

/** Outcomes of a call, by their number on the wire. */
export const STATUSES = /** @type {const} */ (['ok', 'no_handler', 'handler_threw', 'no_object', 'not_owner', 'rejected',
  'rate_limited', 'queue_full', 'too_large', 'peer_gone', 'not_ready', 'no_owner', 'timeout', 'unknown'])

/**
 * One field of a frame, both ways.
 * @typedef {{ read: (from: DataStream) => any, write: (to: DataStream, value: any) => void }} Codec
 */

/** @type {Codec} */
const uint = { read: (s) => s.readVarU(), write: (s, v) => s.writeVarU(v) }
/** @type {Codec} */
const u8 = { read: (s) => s.readU8(), write: (s, v) => s.writeU8(v) }
/** @type {Codec} */
const u32 = { read: (s) => s.readU32(), write: (s, v) => s.writeU32(v) }
/** @type {Codec} */
const bool = { read: (s) => s.readBool(), write: (s, v) => s.writeBool(v) }

/** @type {(length: number) => Codec} */
const fixed = (length) => ({ read: (s) => s.readRaw(length).slice(), write: (s, v) => s.writeRaw(v) })

/** @type {(limit: number) => Codec} */
const bytes = (limit) => ({ read: (s) => s.readRaw(short(s.readVarU(), limit)).slice(), write: (s, v) => s.writeBytes(v) })

/** @type {(limit: number, least?: number) => Codec} */
const text = (limit, least = 0) => ({
  read(s) {
    const length = short(s.readVarU(), limit)
    if (length < least) throw new RangeError('a name that is empty')
    return textOf(s.readRaw(length))
  },
  write: (s, v) => s.writeBytes(utf8(v))
})

/** @type {(limit: number, item: Codec) => Codec} */
const list = (limit, item) => ({
  read(s) {
    const all = []
    for (let n = short(s.readVarU(), limit); n > 0; n--) all.push(item.read(s))
    return all
  },
  write(s, v) {
    s.writeVarU(v.length)
    for (const one of v) item.write(s, one)
  }
})

/** @type {(fields: Record<string, Codec>, check?: (value: any) => boolean) => Codec} */
const record = (fields, check) => ({
  read(s) {
    /** @type {any} */
    const value = {}
    for (const name in fields) value[name] = fields[name].read(s)
    if (check && !check(value)) throw new RangeError('a field out of range')
    return value
  },
  write(s, v) {
    for (const name in fields) fields[name].write(s, v[name])
  }
})

/** @type {Codec} */
const target = {
  read(s) {
    const value = s.readVarU()
    if (value % 4 > OBJECT || (value % 4 === GAME && value > 0)) throw new RangeError('a target of no kind')
    return value
  },
  write: uint.write
}

/** @type {Codec} */
const field = {
  /** @returns {Field} */
  read(s) {
    const key = s.readVarU()
    const name = (key - key % 2) / 2
    if (key % 2) return { name, removed: true, raw: new Uint8Array(0), value: undefined }
    const start = s.position
    const { value, length } = decodeFirst(s.readRaw(s.length - start))
    s.position = start
    return { name, removed: false, raw: s.readRaw(length).slice(), value }
  },
  write(s, /** @type {Field} */ v) {
    s.writeVarU(v.name * 2 + (v.removed ? 1 : 0))
    s.writeRaw(v.raw)
  }
}

const fields = list(1024, field)
const object = record({ class: text(128), owner: uint, persistent: bool })

/** @type {Codec} */
const entity = {
  /** @returns {Entity} */
  read(s) {
    const at = target.read(s)
    const { class: kind, owner, persistent } = at % 4 === OBJECT ? object.read(s) : { class: '', owner: 0, persistent: false }
    return { target: at, class: kind, owner, persistent, fields: fields.read(s) }
  },
  write(s, /** @type {Entity} */ v) {
    s.writeVarU(v.target)
    if (v.target % 4 === OBJECT) object.write(s, v)
    fields.write(s, v.fields)
  }
}

const callName = text(128, 1)
const args = bytes(256 << 10)
const id = text(128)
const reason = text(512)
const code = text(32)

const LIMITS = record({
  args: uint, message: uint, frames: uint, framesBurst: uint, bytes: uint, bytesBurst: uint, calls: uint, callsBurst: uint,
  pingMillis: uint, timeoutMillis: uint, resumeMillis: uint, callsInFlight: uint
})

/** Numbers of the frames. */
export const T = /** @type {const} */ ({
  hello: 1, challenge: 2, auth: 3, welcome: 4, reject: 5, ping: 6, pong: 7, bye: 8, load: 10, loaded: 11, activate: 12,
  names: 19, snapBegin: 20, snapPart: 21, snapEnd: 22, delta: 23, spawn: 24, despawn: 25, owner: 26, resync: 27, check: 28,
  rpc: 30, result: 31, relayed: 32
})

/** @type {Record<number, Codec>} */
const FRAMES = {
  [T.hello]: record({ minVersion: uint, maxVersion: uint, nonce: fixed(16), project: fixed(32) }),
  [T.challenge]: record({ version: uint, nonce: fixed(16), project: fixed(32), need: u8, salt: bytes(32), iterations: uint }),
  [T.auth]: record({
    build: id, session: id, name: id, kind: u8, spectator: bool, userData: bytes(4096), proof: bytes(32), resume: bytes(16),
    loaded: uint
  }),
  [T.welcome]: record({
    id: uint, session: id, token: fixed(16), role: u8, resumed: bool, proof: bytes(32), hostMicros: uint, tickHz: uint,
    limits: LIMITS
  }),
  [T.reject]: record({ code, text: reason, retryAfterMillis: uint }),
  [T.ping]: record({ seq: uint, t0: uint }),
  [T.pong]: record({ seq: uint, t0: uint, t1: uint, t2: uint }),
  [T.bye]: record({ code, text: reason }),
  [T.load]: record({ transition: uint, uuid: id, name: id, seamless: bool }),
  [T.loaded]: record({ transition: uint, ok: bool, text: reason }),
  [T.activate]: record({ transition: uint }),
  [T.names]: record({ base: uint, names: list(MAX_NAMES, text(128)) }, (v) => v.base + v.names.length <= MAX_NAMES),
  [T.snapBegin]: record({ seq: uint, size: uint }, (v) => v.size <= MAX_SNAPSHOT),
  [T.snapPart]: {
    read: (s) => ({ data: s.readRaw(short(s.length - s.position, 16 << 10)).slice() }),
    write: (s, v) => s.writeRaw(v.data)
  },
  [T.snapEnd]: record({ crc: u32 }),
  [T.delta]: record({ prev: uint, seq: uint, changes: list(65536, record({ target, fields })) }),
  [T.spawn]: record({ entity }, (v) => v.entity.target % 4 === OBJECT),
  [T.despawn]: record({ target }, (v) => v.target !== GAME),
  [T.owner]: record({ object: uint, owner: uint }),
  [T.resync]: record({ seq: uint }),
  [T.check]: record({ seq: uint, crc: u32 }),
  [T.rpc]: record({ call: uint, object: uint, name: callName, args }),
  [T.result]: record({ call: uint, status: u8, value: bytes(64 << 10) }),
  [T.relayed]: record({ from: uint, object: uint, name: callName, args })
}

/**
 * @param {number} length
 * @param {number} limit
 */
function short(length, limit) {
  if (length > limit) throw new RangeError(`longer than ${limit}`)
  return length
}

/**
 * The bytes of one frame. The caller has checked lengths.
 * @param {number} type
 * @param {object} body
 */
export function frameOf(type, body) {
  const inner = unlimited()
  FRAMES[type].write(inner, body)
  const out = unlimited()
  out.writeU8(type)
  out.writeU8(0)
  out.writeBytes(inner)
  return out.toUint8Array()
}

/**
 * All frames of a message; throws for what the protocol does not have.
 * @param {Uint8Array} message
 * @returns {Frame[]}
 */
export function parse(message) {
  const s = over(message)
  const frames = []
  do {
    const type = s.readU8()
    const flags = s.readU8()
    if (flags & ~SKIPPABLE) throw new RangeError(`frame ${type} has unknown flags`)
    const body = s.readRaw(s.readVarU())
    const codec = FRAMES[type]
    if (codec) frames.push({ type, weight: body.length, ...codec.read(over(body)) })
    else if (!(flags & SKIPPABLE)) throw new RangeError(`unknown frame ${type}`)
  } while (s.position < s.length)
  return frames
}

const snapshot = list(65536, entity)

/**
 * The entities in the content of a snapshot.
 * @param {Uint8Array} content
 * @returns {Entity[]}
 */
export function parseSnapshot(content) {
  return snapshot.read(over(content))
}

/** @param {Entity[]} entities */
export function snapshotOf(entities) {
  const out = unlimited()
  snapshot.write(out, entities)
  return out._bytes.subarray(0, out._length)
}
