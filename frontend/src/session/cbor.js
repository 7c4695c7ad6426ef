// Values of replicated state: the part of CBOR (RFC 8949) that the protocol has. docs/protocol.md, "Values".

import { Array, DataView, Number, Object, RangeError, TypeError, Uint8Array, apply, defineProperty, fround } from '../primitives.js'
import { textOf, unlimited, utf8 } from './stream.js'

export const MAX_VALUE = 64 << 10
const MAX_NESTING = 16
const MAX_ELEMENTS = 4096
const MAX_INTEGER = Number.MAX_SAFE_INTEGER

const { hasOwnProperty } = Object.prototype
const scratch = new DataView(new Uint8Array(8).buffer)

/**
 * Reads the value at the start of bytes. Lists and maps are frozen; bytes are copies. Throws for everything that the
 * protocol does not have.
 * @param {Uint8Array} bytes
 * @param {{ size?: number, nesting?: number, elements?: number }} [limits]
 * @returns {{ value: any, length: number }}
 */
export function decodeFirst(bytes, { size = MAX_VALUE, nesting = MAX_NESTING, elements = MAX_ELEMENTS } = {}) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0

  /** @param {number} count */
  function take(count) {
    const start = at
    if (start + count > bytes.length || start + count > size) throw new RangeError('value is cut short or too long')
    at += count
    return start
  }

  /** @param {number} info the low five bits of a first byte */
  function argument(info) {
    if (info < 24) return info
    if (info === 24) return view.getUint8(take(1))
    if (info === 25) return view.getUint16(take(2))
    if (info === 26) return view.getUint32(take(4))
    if (info !== 27) throw new RangeError('value of unknown length')
    const start = take(8)
    const n = view.getUint32(start) * 2 ** 32 + view.getUint32(start + 4)
    if (n > MAX_INTEGER) throw new RangeError('number too large')
    return n
  }

  /** @param {number} info */
  function count(info) {
    const n = argument(info)
    if (n > elements) throw new RangeError(`${n} elements, at most ${elements}`)
    return n
  }

  /** @param {number} info */
  function raw(info) {
    const n = argument(info)
    const start = take(n)
    return bytes.subarray(start, start + n)
  }

  /** @param {number} info */
  function simple(info) {
    if (info === 20 || info === 21) return info === 21
    if (info === 22) return null
    if (info === 25) return half(view.getUint16(take(2)))
    if (info === 26) return view.getFloat32(take(4))
    if (info === 27) return view.getFloat64(take(8))
    throw new RangeError('not a value of state')
  }

  /**
   * @param {number} depth
   * @returns {any}
   */
  function item(depth) {
    const first = view.getUint8(take(1))
    const info = first & 31
    const major = first >> 5
    if (depth === 0 && (major === 4 || major === 5)) throw new RangeError('nested too deep')
    switch (major) {
      case 0: return argument(info)
      case 1: {
        const n = argument(info)
        if (n === MAX_INTEGER) throw new RangeError('number too large')
        return -1 - n
      }
      case 2: return raw(info).slice()
      case 3: return textOf(raw(info))
      case 4: {
        const list = []
        for (let n = count(info); n > 0; n--) list.push(item(depth - 1))
        return Object.freeze(list)
      }
      case 5: {
        const map = {}
        for (let n = count(info); n > 0; n--) {
          const start = view.getUint8(take(1))
          if (start >> 5 !== 3) throw new RangeError('a key that is no text')
          const key = textOf(raw(start & 31))
          if (apply(hasOwnProperty, map, [key])) throw new RangeError('the same key twice')
          // not an assignment: a key may be __proto__
          defineProperty(map, key, { value: item(depth - 1), enumerable: true })
        }
        return Object.freeze(map)
      }
      case 7: return simple(info)
      default: throw new RangeError('not a value of state')
    }
  }

  const value = item(nesting)
  return { value, length: at }
}

/**
 * Reads exactly one value.
 * @param {Uint8Array} bytes
 * @param {{ size?: number, nesting?: number, elements?: number }} [limits]
 */
export function decode(bytes, limits) {
  const { value, length } = decodeFirst(bytes, limits)
  if (length !== bytes.length) throw new RangeError('bytes after the value')
  return value
}

/**
 * Throws for what state cannot hold.
 * @param {unknown} value
 * @param {{ size?: number, nesting?: number, elements?: number }} [limits]
 * @returns {Uint8Array}
 */
export function encode(value, { size = MAX_VALUE, nesting = MAX_NESTING, elements = MAX_ELEMENTS } = {}) {
  const out = unlimited()

  /**
   * @param {number} major
   * @param {number} n
   */
  function head(major, n) {
    const first = major << 5
    if (n < 24) return out.writeU8(first | n)
    const width = n < 2 ** 8 ? 0 : n < 2 ** 16 ? 1 : n < 2 ** 32 ? 2 : 3
    out.writeU8(first | 24 + width)
    scratch.setUint32(0, n / 2 ** 32)
    scratch.setUint32(4, n)
    out.writeRaw(new Uint8Array(scratch.buffer, 8 - (1 << width)))
  }

  /**
   * @param {number} major
   * @param {Uint8Array} bytes
   */
  function string(major, bytes) {
    head(major, bytes.length)
    out.writeRaw(bytes)
  }

  /** @param {number} n */
  function number(n) {
    if (Number.isSafeInteger(n) && (n !== 0 || 1 / n > 0)) return n < 0 ? head(1, -1 - n) : head(0, n)
    const short = fround(n) === n || n !== n
    out.writeU8(short ? 0xfa : 0xfb)
    if (short) scratch.setFloat32(0, n)
    else scratch.setFloat64(0, n)
    out.writeRaw(new Uint8Array(scratch.buffer, 0, short ? 4 : 8))
  }

  /**
   * @param {any} v
   * @param {number} depth
   */
  function item(v, depth) {
    if (out.length > size) throw new RangeError(`a value of state has at most ${size} bytes`)
    if (v === null || v === false || v === true) return out.writeU8(v === null ? 0xf6 : v ? 0xf5 : 0xf4)
    if (typeof v === 'number') return number(v)
    if (typeof v === 'string') return string(3, utf8(v))
    if (v instanceof Uint8Array) return string(2, v)
    const isList = Array.isArray(v)
    if (!isList && !isPlain(v)) {
      throw new TypeError('state holds null, booleans, numbers, texts, Uint8Array, lists and plain objects of these')
    }
    if (depth === 0) throw new RangeError(`a value of state nests at most ${nesting} deep`)
    const keys = isList ? v : Object.keys(v)
    if (keys.length > elements) throw new RangeError(`a list or object in state has at most ${elements} elements`)
    head(isList ? 4 : 5, keys.length)
    for (const key of keys) {
      if (!isList) string(3, utf8(key))
      item(isList ? key : v[key], depth - 1)
    }
  }

  item(value, nesting)
  if (out.length > size) throw new RangeError(`a value of state has at most ${size} bytes`)
  return out.toUint8Array()
}

/** @param {any} v */
function isPlain(v) {
  if (typeof v !== 'object') return false
  const proto = Object.getPrototypeOf(v)
  return proto === null || Object.getPrototypeOf(proto) === null
}

/** @param {number} bits a float of two bytes */
function half(bits) {
  const exponent = bits >> 10 & 31
  const fraction = bits & 1023
  const size = exponent === 31 ? (fraction ? NaN : Infinity)
    : exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25)
  return bits & 0x8000 ? -size : size
}
