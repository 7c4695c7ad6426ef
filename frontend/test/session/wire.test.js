import test from 'node:test'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { decode, encode } from '../../src/session/cbor.js'
import { crc32c, hmac, pbkdf2, sha256 } from '../../src/session/hash.js'
import { frameOf, parse, parseSnapshot, snapshotOf } from '../../src/session/wire.js'

const vectors = JSON.parse(readFileSync(new URL('../../../session/testdata/vectors.json', import.meta.url), 'utf8'))
const hex = (bytes) => Buffer.from(bytes).toString('hex')
const bytes = (text) => new Uint8Array(Buffer.from(text, 'hex'))

/** What the file says about a value. */
function plain(v) {
  if (v instanceof Uint8Array) return { $bytes: hex(v) }
  if (Object.is(v, -0)) return { $float: '-0' }
  if (typeof v === 'number' && !Number.isFinite(v)) return { $float: Number.isNaN(v) ? 'nan' : v > 0 ? 'inf' : '-inf' }
  if (Array.isArray(v)) return v.map(plain)
  if (v && typeof v === 'object') return Object.fromEntries(Object.entries(v).map(([k, e]) => [k, plain(e)]))
  return v
}

/** What the file says about a frame: bytes as hex, values as above. */
function plainFrame(v, key) {
  if (key === 'value' && !(v instanceof Uint8Array)) return plain(v)
  if (v instanceof Uint8Array) return hex(v)
  if (Array.isArray(v)) return v.map((e) => plainFrame(e))
  if (!v || typeof v !== 'object') return v
  return Object.fromEntries(Object.entries(v).filter(([k, e]) => k !== 'weight' && e !== undefined).map(([k, e]) => [k, plainFrame(e, k)]))
}

const BYTES = /^(?:nonce|project|salt|userData|proof|resume|token|data|raw|args)$/

/** A frame of the file as the encoder takes it. */
function frame(v) {
  if (typeof v === 'string') return v
  if (Array.isArray(v)) return v.map(frame)
  if (!v || typeof v !== 'object') return v
  const made = {}
  for (const [k, e] of Object.entries(v)) {
    const isBytes = BYTES.test(k) || (k === 'value' && v.type === 31)
    made[k] = isBytes && typeof e === 'string' ? bytes(e) : frame(e)
  }
  return made
}

test('the shared messages read as in Go', () => {
  for (const { name, hex: message, frames } of vectors.messages) {
    const got = parse(bytes(message)).map((f) => plainFrame(f))
    assert.deepEqual(got, frames, name)
  }
})

test('the shared messages are written as in Go', () => {
  for (const { name, hex: message, frames, oneWay } of vectors.messages) {
    if (oneWay) continue
    assert.equal(frames.map((f) => hex(frameOf(f.type, frame(f)))).join(''), message, name)
  }
})

test('the shared bad messages are refused', () => {
  for (const { name, hex: message } of vectors.badMessages) assert.throws(() => parse(bytes(message)), Error, name)
})

test('the shared values read as in Go and survive the way back', () => {
  for (const { name, hex: encoded, value } of vectors.values) {
    const got = decode(bytes(encoded))
    assert.deepEqual(plain(got), value, name)
    assert.deepEqual(plain(decode(encode(got))), value, name)
  }
})

test('the shared bad values are refused', () => {
  for (const { name, hex: encoded } of vectors.badValues) assert.throws(() => decode(bytes(encoded)), Error, name)
})

test('the shared snapshot has the same checksum', () => {
  for (const { name, hex: content, checksum, entities } of vectors.snapshots) {
    const got = parseSnapshot(bytes(content))
    assert.deepEqual(got.map((e) => plainFrame(e)), entities, name)
    assert.equal(hex(snapshotOf(got)), content, name)
    assert.equal(crc32c(bytes(content)), checksum, name)
  }
})

test('the shared proofs', async () => {
  const p = vectors.proofs
  const [c, h] = [bytes(p.clientNonce), bytes(p.hostNonce)]
  assert.equal(hex(sha256('conch.session.1 client', c, p.project)), p.clientProject)
  assert.equal(hex(sha256('conch.session.1 host', c, h, p.project)), p.hostProject)
  const key = await pbkdf2(p.secret, bytes(p.salt), p.iterations, setImmediate)
  assert.equal(hex(key), p.key)
  assert.equal(hex(hmac(key, 'conch.session.1 join', c, h, p.project)), p.clientProof)
  assert.equal(hex(hmac(key, 'conch.session.1 welcome', c, h, p.project)), p.hostProof)
})

test('rubbish never does anything but throw', () => {
  let seed = 1
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n
  const samples = [...vectors.messages, ...vectors.badMessages].map((v) => bytes(v.hex)).filter((b) => b.length > 0 && b.length < 200)
  for (let i = 0; i < 10000; i++) {
    const message = samples[random(samples.length)].slice()
    for (let n = random(4); n >= 0; n--) message[random(message.length)] = random(256)
    try {
      for (const f of parse(message)) assert.ok(f.type > 0)
    } catch (error) {
      assert.ok(error instanceof RangeError || error instanceof TypeError, `${error.stack}`)
    }
  }
})
