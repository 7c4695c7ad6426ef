// SHA-256 (FIPS 180-4), HMAC (RFC 2104), PBKDF2 (RFC 8018) and CRC-32C (RFC 3720). A page on a LAN address is no secure
// context and has no crypto.subtle.

import { DataView, Promise, Uint32Array, Uint8Array, floor } from '../primitives.js'
import { utf8 } from './stream.js'

const primes = firstPrimes(64)
const ROUND = new Uint32Array(primes.map((p) => fraction(p ** (1 / 3))))
const START = new Uint32Array(primes.slice(0, 8).map((p) => fraction(p ** (1 / 2))))
const CASTAGNOLI = castagnoli()

/** @param {number} count */
function firstPrimes(count) {
  const all = [2]
  for (let n = 3; all.length < count; n += 2) if (all.every((p) => n % p)) all.push(n)
  return all
}

/** @param {number} n the first 32 bits after the point */
function fraction(n) {
  return (n - floor(n)) * 2 ** 32
}

/**
 * Adds one block of 64 bytes to state.
 * @param {Uint32Array} state
 * @param {Uint32Array} w 64 words, the first 16 being the block
 */
function compress(state, w) {
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]
    const y = w[i - 2]
    w[i] = w[i - 16] + w[i - 7] + ((x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3) +
      ((y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10)
  }
  let [a, b, c, d, e, f, g, h] = state
  for (let i = 0; i < 64; i++) {
    const t = h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + ((e & f) ^ (~e & g)) + ROUND[i] + w[i] | 0
    const u = ((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + ((a & b) ^ (a & c) ^ (b & c)) | 0
    h = g; g = f; f = e; e = d + t | 0; d = c; c = b; b = a; a = t + u | 0
  }
  state[0] += a; state[1] += b; state[2] += c; state[3] += d; state[4] += e; state[5] += f; state[6] += g; state[7] += h
}

/**
 * The state after start and then parts, with the padding of a message that has `before` bytes in front.
 * @param {Uint32Array} start
 * @param {Uint8Array[]} parts
 * @param {number} before
 */
function run(start, parts, before) {
  let length = 0
  for (const part of parts) length += part.length
  const padded = new Uint8Array((length + 9 + 63) & ~63)
  let at = 0
  for (const part of parts) {
    padded.set(part, at)
    at += part.length
  }
  padded[at] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, (before + length) / 2 ** 29)
  view.setUint32(padded.length - 4, (before + length) * 8)
  const state = start.slice()
  const w = new Uint32Array(64)
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(block + i * 4)
    compress(state, w)
  }
  return state
}

/** @param {Uint32Array} state */
function bytesOfState(state) {
  const out = new Uint8Array(32)
  const view = new DataView(out.buffer)
  state.forEach((word, i) => view.setUint32(i * 4, word))
  return out
}

/** @param {(string | Uint8Array)[]} parts */
const asBytes = (parts) => parts.map((part) => typeof part === 'string' ? utf8(part) : part)

/** @param {(string | Uint8Array)[]} parts */
export function sha256(...parts) {
  return bytesOfState(run(START, asBytes(parts), 0))
}

/**
 * The two halves of an HMAC with this key: what SHA-256 is after the block with the key.
 * @param {Uint8Array} key
 */
function keyed(key) {
  const short = key.length > 64 ? sha256(key) : key
  return [0x36, 0x5c].map((pad) => {
    const w = new Uint32Array(64)
    for (let i = 0; i < 64; i++) w[i >> 2] |= ((short[i] || 0) ^ pad) << 24 - i % 4 * 8
    const state = START.slice()
    compress(state, w)
    return state
  })
}

/**
 * @param {Uint8Array} key
 * @param {(string | Uint8Array)[]} parts
 */
export function hmac(key, ...parts) {
  const [inner, outer] = keyed(key)
  return bytesOfState(run(outer, [bytesOfState(run(inner, asBytes(parts), 64))], 64))
}

/**
 * 32 bytes of PBKDF2-HMAC-SHA256. Lets the page breathe between rounds.
 * @param {string} secret
 * @param {Uint8Array} salt
 * @param {number} iterations
 * @param {(run: () => void) => void} pause runs the rest a little later
 * @returns {Promise<Uint8Array>}
 */
export function pbkdf2(secret, salt, iterations, pause) {
  const [inner, outer] = keyed(utf8(secret))
  // from the second round on, each half is one block: a digest of 32 bytes and always the same padding
  const w = new Uint32Array(64)
  const state = new Uint32Array(8)
  const round = (/** @type {Uint32Array} */ start) => {
    w.set(state)
    w.fill(0, 8, 16)
    w[8] = 0x80000000
    w[15] = (64 + 32) * 8
    state.set(start)
    compress(state, w)
  }
  state.set(run(inner, [salt, new Uint8Array([0, 0, 0, 1])], 64))
  round(outer)
  const sum = state.slice()
  let left = iterations - 1
  return new Promise((resolve) => {
    const work = () => {
      for (let n = 2000; n > 0 && left > 0; n--, left--) {
        round(inner)
        round(outer)
        for (let i = 0; i < 8; i++) sum[i] ^= state[i]
      }
      if (left > 0) pause(work)
      else resolve(bytesOfState(sum))
    }
    work()
  })
}

function castagnoli() {
  const table = new Uint32Array(256)
  for (let n = 0; n < 256; n++) {
    let c = n
    for (let k = 0; k < 8; k++) c = c & 1 ? c >>> 1 ^ 0x82f63b78 : c >>> 1
    table[n] = c
  }
  return table
}

/** @param {Uint8Array} bytes */
export function crc32c(bytes) {
  let crc = -1
  for (let i = 0; i < bytes.length; i++) crc = CASTAGNOLI[(crc ^ bytes[i]) & 255] ^ crc >>> 8
  return ~crc >>> 0
}

/**
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 */
export function equal(a, b) {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
