import test from 'node:test'
import assert from 'node:assert/strict'
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import * as cborg from 'cborg'
import { decode, decodeFirst, encode } from '../../src/session/cbor.js'
import { createEvent } from '../../src/session/event.js'
import { crc32c, hmac, pbkdf2, sha256 } from '../../src/session/hash.js'
import { createOp } from '../../src/session/op.js'
import { DataStream } from '../../src/session/stream.js'

function makeLog() {
  const lines = []
  return { lines, error: (...args) => lines.push(args), note: (text) => lines.push([text]), debug() {} }
}

test('DataStream reads what it wrote', () => {
  const cases = [['U8', 255], ['I8', -128], ['U16', 65535], ['I16', -32768], ['U32', 2 ** 32 - 1], ['I32', -(2 ** 31)],
    ['F32', 1.5], ['F64', 0.1], ['Bool', true], ['Bool', false], ['VarU', 0], ['VarU', 127], ['VarU', 128],
    ['VarU', 2 ** 53 - 1], ['VarI', 0], ['VarI', -1], ['VarI', 1], ['VarI', -(2 ** 52)], ['String', ''],
    ['String', 'Zoë 🐚'], ['String', '\uFEFFbom'], ['Bytes', new Uint8Array([1, 2, 3])]]
  const s = new DataStream()
  for (const [kind, value] of cases) s[`write${kind}`](value)
  assert.equal(s.position, s.length)
  const copy = DataStream.from(s.toUint8Array())
  assert.equal(copy.position, 0)
  for (const [kind, value] of cases) assert.deepEqual(copy[`read${kind}`](), value, `${kind} ${value}`)
})

test('DataStream is little endian and grows', () => {
  const s = new DataStream()
  s.writeU32(1)
  for (let i = 0; i < 1000; i++) s.writeU16(i)
  assert.equal(s.length, 2004)
  assert.deepEqual([...s.toUint8Array().subarray(0, 8)], [1, 0, 0, 0, 0, 0, 1, 0])
  s.position = 0
  s.writeU32(7)
  assert.equal(s.length, 2004)
})

test('DataStream refuses to read past the end, bad text and too much', () => {
  assert.throws(() => DataStream.from(new Uint8Array(3)).readU32(), RangeError)
  assert.throws(() => DataStream.from(new Uint8Array([5, 1])).readBytes(), RangeError)
  assert.throws(() => DataStream.from(new Uint8Array([1, 0xff])).readString(), TypeError)
  assert.throws(() => DataStream.from(new Uint8Array([2])).readBool(), RangeError)
  assert.throws(() => DataStream.from(new Uint8Array([0x80, 0])).readVarU(), RangeError)
  assert.throws(() => DataStream.from(new Uint8Array(9).fill(255)).readVarU(), RangeError)
  assert.throws(() => DataStream.from(new Uint8Array((1 << 20) + 1)), RangeError)
  assert.throws(() => DataStream.from('text'), TypeError)
  assert.throws(() => { new DataStream().position = 1 }, RangeError)
  assert.throws(() => new DataStream().writeVarU(-1), RangeError)
  assert.throws(() => new DataStream().writeVarU(1.5), RangeError)
  const full = new DataStream()
  full.writeBytes(new Uint8Array((1 << 20) - 3))
  assert.throws(() => full.writeU8(1), RangeError)
})

test('DataStream copies what it is given', () => {
  const source = new Uint8Array([1, 2])
  const s = DataStream.from(source)
  source[0] = 9
  assert.equal(s.readU8(), 1)
  const out = s.toUint8Array()
  out[1] = 9
  assert.equal(s.readU8(), 2)
  assert.equal(DataStream.from(runInNewContext('new Uint8Array([4]).buffer')).readU8(), 4, 'another realm')
  assert.equal(DataStream.from(new Uint16Array([5, 6]).subarray(1)).readU16(), 6, 'a part of a buffer')
})

test('Event runs its listeners in order, each once, and survives a throw', () => {
  const log = makeLog()
  const { event, emit } = createEvent('onX', log)
  const calls = []
  const listener = (v) => calls.push(`a${v}`)
  event.add(listener)
  event.add(listener)
  event.add(() => { throw new Error('mine') })
  const remove = event.add((v) => calls.push(`b${v}`))
  event.once((v) => calls.push(`once${v}`))
  assert.equal(event.count, 4)
  emit(1)
  remove()
  assert.equal(event.remove(listener), true)
  assert.equal(event.remove(listener), false)
  emit(2)
  assert.deepEqual(calls, ['a1', 'b1', 'once1'])
  assert.equal(log.lines.length, 2)
  assert.match(log.lines[0][0], /onX/)
  event.clear()
  assert.equal(event.count, 0)
  assert.throws(() => event.add('no'), TypeError)
})

test('Event: adding and removing while it runs is safe', () => {
  const { event, emit } = createEvent('onX', makeLog())
  const calls = []
  const second = () => calls.push('second')
  event.add(() => {
    calls.push('first')
    event.remove(second)
    event.add(() => calls.push('late'))
  })
  event.add(second)
  emit()
  assert.deepEqual(calls, ['first'])
})

function makeOp(cancel) {
  const laters = []
  const log = makeLog()
  return { ...createOp({ log, later: (run) => laters.push(run), cancel }), log, update: () => { for (const run of laters.splice(0)) run() } }
}

test('UncertainAsyncOp: onDone once, also when already settled, then in the next update', () => {
  const { op, succeed, update, log } = makeOp()
  const calls = []
  op.onDone((o) => calls.push(['a', o.state, o.result, o.error]))
  op.onDone(() => { throw new Error('mine') })
  assert.equal(op.state, 'pending')
  succeed(5)
  succeed(6)
  op.onDone(() => calls.push('late'))
  assert.deepEqual(calls, [['a', 'succeeded', 5, undefined]])
  assert.equal(log.lines.length, 1)
  update()
  assert.deepEqual(calls[1], 'late')
})

test('UncertainAsyncOp can be awaited, and a failure is never an unhandled rejection', async (t) => {
  const unhandled = []
  const listener = (e) => unhandled.push(e)
  process.on('unhandledRejection', listener)
  t.after(() => process.off('unhandledRejection', listener))
  const good = makeOp()
  setImmediate(() => good.succeed('x'))
  assert.equal(await good.op, 'x')
  const bad = makeOp()
  bad.op.then(() => {})
  bad.fail('no_owner')
  assert.equal(bad.op.error, 'no_owner')
  bad.op.then(() => {})
  await assert.rejects(async () => await bad.op, /^Error: no_owner$/)
  await new Promise((resolve) => setTimeout(resolve, 5))
  assert.deepEqual(unhandled, [])
})

test('UncertainAsyncOp.cancel: only while nothing has left', () => {
  const held = makeOp(() => true)
  assert.equal(held.op.cancel(), true)
  held.update()
  assert.equal(held.op.error, 'cancelled')
  assert.equal(held.op.cancel(), false)
  assert.equal(makeOp(() => false).op.cancel(), false)
  assert.equal(makeOp().op.cancel(), false)
})

test('SHA-256, HMAC and PBKDF2 agree with node:crypto', async () => {
  const digest = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest('hex')
  const hex = (bytes) => Buffer.from(bytes).toString('hex')
  for (let length = 0; length < 200; length++) {
    const [a, b] = [randomBytes(length), randomBytes(length % 7)]
    assert.equal(hex(sha256(a, b)), digest(a, b), `${length} bytes`)
    assert.equal(hex(hmac(a, b, a)), createHmac('sha256', a).update(b).update(a).digest('hex'), `key of ${length} bytes`)
  }
  for (const n of [1, 2, 1000, 25000]) {
    const salt = randomBytes(n % 33)
    assert.equal(hex(await pbkdf2('pässword', salt, n, setImmediate)), pbkdf2Sync('pässword', salt, n, 32, 'sha256').toString('hex'))
  }
})

test('CRC-32C of the check string of the catalogue', () => {
  assert.equal(crc32c(Buffer.from('123456789')), 0xe3069283)
})

/** Values that both codecs hold alike. */
function randomValue(depth) {
  const pick = Math.floor(Math.random() * (depth > 0 ? 9 : 7))
  switch (pick) {
    case 0: return null
    case 1: return Math.random() < 0.5
    case 2: return Math.floor((Math.random() - 0.5) * 2 ** (Math.random() * 54))
    case 3: return (Math.random() - 0.5) * 10 ** (Math.random() * 40 - 20)
    case 4: return Math.fround(Math.random())
    case 5: return 'é🐚x'.repeat(Math.floor(Math.random() * 20))
    case 6: return new Uint8Array(randomBytes(Math.floor(Math.random() * 40)))
    case 7: return Array.from({ length: Math.floor(Math.random() * 6) }, () => randomValue(depth - 1))
    default: return Object.fromEntries(Array.from({ length: Math.floor(Math.random() * 6) }, (_, i) => [`k${i}`, randomValue(depth - 1)]))
  }
}

const bare = (v) => typeof v === 'bigint' ? Number(v) : v instanceof Uint8Array ? { bytes: [...v] } : Array.isArray(v) ? v.map(bare)
  : v && typeof v === 'object' ? Object.fromEntries(Object.entries(v).map(([k, e]) => [k, bare(e)])) : v

test('values go both ways between this codec and cborg', () => {
  for (let i = 0; i < 3000; i++) {
    const value = randomValue(4)
    const mine = encode(value)
    assert.deepEqual(bare(decode(mine)), bare(value))
    assert.deepEqual(bare(cborg.decode(mine)), bare(value))
    assert.deepEqual(bare(decode(new Uint8Array(cborg.encode(value)))), bare(value))
  }
})

test('changed bytes of values only ever throw', () => {
  for (let i = 0; i < 5000; i++) {
    const bytes = encode(randomValue(3))
    bytes[Math.floor(Math.random() * bytes.length)] = Math.floor(Math.random() * 256)
    try {
      decodeFirst(bytes)
    } catch (error) {
      assert.ok(error instanceof RangeError || error instanceof TypeError, error.stack)
    }
  }
})

test('keys of a value never reach a prototype', () => {
  const value = decode(encode(JSON.parse('{"__proto__":{"x":1},"constructor":2}')))
  assert.equal(Object.getPrototypeOf(value), Object.prototype)
  assert.deepEqual(Object.keys(value), ['__proto__', 'constructor'])
  assert.equal({}.x, undefined)
  assert.equal(Object.isFrozen(value), true)
})

test('what state cannot hold is refused with the rule', () => {
  const loop = []
  loop.push(loop)
  const refused = [undefined, () => 1, 1n, new Date(), new Map(), Symbol('x'), [undefined], { a: undefined }, new Uint16Array(2)]
  for (const value of refused) assert.throws(() => encode(value), TypeError)
  for (const value of [loop, 'x'.repeat(65536), Array(4097).fill(0)]) assert.throws(() => encode(value), RangeError)
  assert.deepEqual(decode(encode(Object.assign(Object.create(null), { a: 1 }))), { a: 1 })
})
