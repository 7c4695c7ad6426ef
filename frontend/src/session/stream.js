// DataStream: bytes with a cursor, for the arguments and results of calls. The wire format is read and written with it
// too, so that both have one set of rules: little endian, varints in their shortest form, text as UTF-8.

import {
  ArrayBuffer, DataView, Number, RangeError, TextDecoder, TextEncoder, TypeError, Uint8Array, getter, max
} from '../primitives.js'

const MAX_LENGTH = 1 << 20
const MAX_INTEGER = Number.MAX_SAFE_INTEGER

const byteLength = getter(ArrayBuffer.prototype, 'byteLength')
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @param {string} text */
export function utf8(text) {
  return encoder.encode(text)
}

/**
 * Throws for bytes that are not UTF-8.
 * @param {Uint8Array} bytes
 */
export function textOf(bytes) {
  return decoder.decode(bytes)
}

/**
 * The bytes of anything that holds bytes, not copied.
 * @param {unknown} source
 * @returns {Uint8Array}
 */
export function bytesOf(source) {
  if (source instanceof DataStream) return source._bytes.subarray(0, source._length)
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
  if (source === undefined || source === null) return new Uint8Array(0)
  try {
    byteLength(source) // of any realm
  } catch {
    throw new TypeError('bytes are a DataStream, an ArrayBuffer, a typed array or a DataView')
  }
  return new Uint8Array(/** @type {ArrayBuffer} */ (source))
}

export class DataStream {
  constructor() {
    // What begins with _ is this folder's own.
    /** @type {Uint8Array} */
    this._bytes = new Uint8Array(64)
    this._view = new DataView(this._bytes.buffer)
    this._length = 0
    this._at = 0
    this._limit = MAX_LENGTH
  }

  /** @param {ArrayBuffer | ArrayBufferView} source */
  static from(source) {
    const bytes = bytesOf(source)
    if (bytes.length > MAX_LENGTH) throw new RangeError(`DataStream: ${bytes.length} bytes, at most ${MAX_LENGTH} fit`)
    return over(bytes.slice())
  }

  get length() { return this._length }
  get position() { return this._at }
  set position(at) {
    if (!(at >= 0 && at <= this._length) || at % 1 !== 0) throw new RangeError(`DataStream: no position ${at}`)
    this._at = at
  }

  toUint8Array() { return this._bytes.slice(0, this._length) }

  /**
   * Makes room at the cursor and moves it on.
   * @param {number} count
   * @returns {number} where to write
   */
  _grow(count) {
    const at = this._at
    const end = at + count
    if (end > this._limit) throw new RangeError(`DataStream: at most ${this._limit} bytes fit`)
    if (end > this._bytes.length) {
      const larger = new Uint8Array(max(end, this._bytes.length * 2))
      larger.set(this._bytes)
      this._bytes = larger
      this._view = new DataView(larger.buffer)
    }
    this._at = end
    if (end > this._length) this._length = end
    return at
  }

  /**
   * @param {number} count
   * @returns {number} where to read
   */
  _take(count) {
    const at = this._at
    if (at + count > this._length) throw new RangeError('DataStream: read past the end')
    this._at = at + count
    return at
  }

  /** @param {number} value */
  writeU8(value) { const at = this._grow(1); this._view.setUint8(at, value) }
  /** @param {number} value */
  writeI8(value) { const at = this._grow(1); this._view.setInt8(at, value) }
  /** @param {number} value */
  writeU16(value) { const at = this._grow(2); this._view.setUint16(at, value, true) }
  /** @param {number} value */
  writeI16(value) { const at = this._grow(2); this._view.setInt16(at, value, true) }
  /** @param {number} value */
  writeU32(value) { const at = this._grow(4); this._view.setUint32(at, value, true) }
  /** @param {number} value */
  writeI32(value) { const at = this._grow(4); this._view.setInt32(at, value, true) }
  /** @param {number} value */
  writeF32(value) { const at = this._grow(4); this._view.setFloat32(at, value, true) }
  /** @param {number} value */
  writeF64(value) { const at = this._grow(8); this._view.setFloat64(at, value, true) }
  /** @param {boolean} value */
  writeBool(value) { this.writeU8(value ? 1 : 0) }

  /** @param {number} value 0 to 2^53-1 */
  writeVarU(value) {
    if (!(value >= 0 && value <= MAX_INTEGER) || value % 1 !== 0) throw new RangeError(`DataStream: ${value} is no varint`)
    while (value > 127) {
      this.writeU8(value % 128 + 128)
      value = (value - value % 128) / 128
    }
    this.writeU8(value)
  }

  /** @param {number} value within 2^52 */
  writeVarI(value) { this.writeVarU(value < 0 ? -value * 2 - 1 : value * 2) }

  /** @param {string} value */
  writeString(value) { this.writeBytes(utf8(value)) }

  /** @param {ArrayBuffer | ArrayBufferView | DataStream} value */
  writeBytes(value) {
    const bytes = bytesOf(value)
    this.writeVarU(bytes.length)
    this.writeRaw(bytes)
  }

  /**
   * Bytes without their length.
   * @param {ArrayBuffer | ArrayBufferView | DataStream} value
   */
  writeRaw(value) {
    const bytes = bytesOf(value)
    const at = this._grow(bytes.length)
    this._bytes.set(bytes, at)
  }

  readU8() { return this._view.getUint8(this._take(1)) }
  readI8() { return this._view.getInt8(this._take(1)) }
  readU16() { return this._view.getUint16(this._take(2), true) }
  readI16() { return this._view.getInt16(this._take(2), true) }
  readU32() { return this._view.getUint32(this._take(4), true) }
  readI32() { return this._view.getInt32(this._take(4), true) }
  readF32() { return this._view.getFloat32(this._take(4), true) }
  readF64() { return this._view.getFloat64(this._take(8), true) }

  readBool() {
    const value = this.readU8()
    if (value > 1) throw new RangeError('DataStream: neither true nor false')
    return value === 1
  }

  readVarU() {
    let value = 0
    for (let scale = 1; scale < 2 ** 56; scale *= 128) {
      const byte = this.readU8()
      value += (byte & 127) * scale
      if (byte > 127) continue
      if (value > MAX_INTEGER || (byte === 0 && scale > 1)) break
      return value
    }
    throw new RangeError('DataStream: not a varint')
  }

  readVarI() {
    const value = this.readVarU()
    return value % 2 ? -(value + 1) / 2 : value / 2
  }

  readString() { return textOf(this.readRaw(this.readVarU())) }
  readBytes() { return this.readRaw(this.readVarU()).slice() }

  /**
   * The next bytes, not copied.
   * @param {number} count
   */
  readRaw(count) {
    const at = this._take(count)
    return this._bytes.subarray(at, at + count)
  }
}

/**
 * A stream that reads bytes where they are.
 * @param {Uint8Array} bytes
 */
export function over(bytes) {
  const stream = new DataStream()
  stream._bytes = bytes
  stream._view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  stream._length = bytes.length
  return stream
}

/** A stream to write what is longer than a game's. */
export function unlimited() {
  const stream = new DataStream()
  stream._limit = MAX_INTEGER
  return stream
}
