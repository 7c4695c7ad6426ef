// Replicated state as a game sees it: the GameState, a PlayerState, or an object. On the wire an entity is a list of
// named fields; which connection knows which name by which number is client.js's matter.

import { Array, ArrayBuffer, Error, Map, Number, Object, TypeError } from '../primitives.js'
import { decode, encode } from './cbor.js'
import { sha256 } from './hash.js'
import { utf8 } from './stream.js'
import { GAME, OBJECT, PLAYER } from './wire.js'

/** @import { Node, Store } from './types.d.ts' */

/** The target of the GameState, of a connection's PlayerState, of an object. */
export const GAME_TARGET = GAME
/** @param {number} connection */
export const playerTarget = (connection) => connection * 4 + PLAYER
/** @param {number} object */
export const objectTarget = (object) => object * 4 + OBJECT

/** @param {number} target */
export const idOf = (target) => (target - target % 4) / 4

/**
 * A node of state that knows its place in a session.
 * @param {Store} store
 * @param {number} target
 * @param {string} typeName
 * @param {number} owner
 * @param {boolean} persistent
 * @returns {Node}
 */
export function createNode(store, target, typeName, owner, persistent) {
  let uuid = ''
  /** @type {Node} */
  const node = { target, typeName, owner, persistent, fields: new Map(), view: {} }
  const base = {
    get uuid() { return uuid || (uuid = uuidOf(store.sessionId, target)) },
    get typeName() { return node.typeName },
    get: (/** @type {unknown} */ path) => read(node, `${path}`),
    set: (/** @type {unknown} */ path, /** @type {unknown} */ value) => write(store, node, `${path}`, value),
    names: () => [...node.fields.keys()]
  }
  if (target % 4 === OBJECT) {
    Object.defineProperties(base, {
      netObjectId: { value: idOf(target), enumerable: true },
      owner: { get: () => node.owner, enumerable: true },
      persistent: { get: () => node.persistent, enumerable: true },
      isMine: { get: () => node.owner === store.localConnectionId, enumerable: true }
    })
  }
  node.view = Object.freeze(base)
  return node
}

/**
 * The field that a path names, and what of the path leads into its value: the whole path when there is such a field, else
 * the longest part up to a dot.
 * @param {Node} node
 * @param {string} path
 */
function find(node, path) {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const name = path.slice(0, end)
    const field = node.fields.get(name)
    if (field) return { name, value: field.value, rest: end < path.length ? path.slice(end + 1).split('.') : [] }
  }
  return null
}

/** @param {any} value */
const isBranch = (value) => typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)

/**
 * @param {Node} node
 * @param {string} path
 */
function read(node, path) {
  const found = find(node, path)
  if (!found) return undefined
  let { value } = found
  for (const key of found.rest) {
    if (!isBranch(value) || !Object.prototype.hasOwnProperty.call(value, key)) return undefined
    value = value[key]
  }
  return value
}

/**
 * Writes a field, or a place in the value of one; undefined removes.
 * @param {Store} store
 * @param {Node} node
 * @param {string} path
 * @param {unknown} value
 */
function write(store, node, path, value) {
  if (!store.writable) throw new Error('only the session host changes state, while the session is active')
  const found = find(node, path)
  if (!found || found.rest.length === 0) return put(store, node, path, value)
  put(store, node, found.name, changed(found.value, found.rest, value))
}

/**
 * A copy of a value with another one at the end of keys.
 * @param {any} value
 * @param {string[]} keys
 * @param {unknown} end
 * @returns {any}
 */
function changed(value, [key, ...rest], end) {
  if (!isBranch(value)) throw new TypeError(`state: nothing can be set at ${key}, its parent holds no list or object`)
  const isList = Array.isArray(value)
  if (isList && !(Number(key) <= value.length)) throw new TypeError(`state: ${key} is no position of the list`)
  const copy = isList ? [...value] : { ...value }
  const own = Object.prototype.hasOwnProperty.call(copy, key)
  if (rest.length > 0) end = changed(own ? copy[key] : {}, rest, end)
  if (end !== undefined) Object.defineProperty(copy, key, { value: end, enumerable: true, writable: true, configurable: true })
  else if (isList) copy.splice(Number(key), 1)
  else delete copy[key]
  return copy
}

/**
 * @param {Store} store
 * @param {Node} node
 * @param {string} name
 * @param {unknown} value
 */
export function put(store, node, name, value) {
  const length = utf8(name).length
  if (length === 0 || length > 128) throw new TypeError('state: a name has 1 to 128 bytes')
  if (value === undefined) {
    if (node.fields.delete(name)) store.changed(node, name, null)
    return
  }
  const raw = encode(value)
  // a copy, so that what the game changes afterwards is not in the state
  const copy = decode(raw)
  node.fields.set(name, { key: 0, raw, value: copy })
  store.changed(node, name, raw)
}

/**
 * A UUID that every member of a session makes alike, in the form of version 8 (RFC 9562).
 * @param {string} sessionId
 * @param {number} target
 */
function uuidOf(sessionId, target) {
  return formatUUID(sha256(`${sessionId}\n${target}`), 0x80)
}

/**
 * @param {Uint8Array} bytes at least 16
 * @param {number} version in the high half
 */
export function formatUUID(bytes, version) {
  const b = bytes.slice(0, 16)
  b[6] = b[6] & 15 | version
  b[8] = b[8] & 63 | 128
  return hex(b).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** @param {Uint8Array} bytes */
export function hex(bytes) {
  let text = ''
  for (const byte of bytes) text += (byte + 256).toString(16).slice(1)
  return text
}
