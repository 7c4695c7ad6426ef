import test from 'node:test'
import assert from 'node:assert/strict'
import { FakeWebSocket, last, makeConfig, makeConsole, settle } from './fake.js'
import { createDriver } from '../src/driver.js'
import { createLog } from '../src/log.js'
import { createNet } from '../src/net.js'
import { createPolicy, UNAVAILABLE } from '../src/policy.js'
import { createRelay } from '../src/relay.js'

function setUp(changes, message = '') {
  const config = makeConfig(changes)
  const console = makeConsole()
  const asked = []
  const relay = createRelay(config, async (address) => {
    asked.push(address)
    return message ? { status: 200, json: async () => ({ message }) } : { status: 204 }
  })
  const driver = createDriver(FakeWebSocket)
  const parts = { policy: createPolicy(config), relay, log: createLog(config, console), driver }
  return { net: createNet(config, parts), lines: console.lines, asked }
}

/** Writes down every call that a socket makes. */
function record(sock) {
  const calls = []
  for (const name of ['onOpen', 'onMessage', 'onClose', 'onError']) {
    sock[name] = (...args) => calls.push([name, ...args])
  }
  return calls
}

const throws = (run, name, text) => assert.throws(run, (error) => {
  assert.equal(error.name, name)
  assert.ok(error.message.includes(text), error.message)
  return true
})

test('connect goes to the relay and takes turns on its ports', () => {
  const { net } = setUp()
  const ports = new Set()
  for (let i = 0; i < 3; i++) {
    const sock = net.connect('wss://play.example.net/ws?a=1&b=2', { protocols: ['v1', 'v2'] })
    assert.equal(sock.readyState, 'connecting')
    assert.equal(sock.url, 'wss://play.example.net/ws?a=1&b=2')
    const { searchParams, hostname, port, pathname } = new URL(last().url)
    assert.deepEqual([hostname, pathname], ['127.0.0.1', '/'])
    assert.equal(searchParams.get('u'), 'wss://play.example.net/ws?a=1&b=2')
    assert.match(searchParams.get('id'), /^[A-Za-z0-9_-]{1,64}$/)
    assert.equal(searchParams.get('o'), 'game')
    assert.equal(searchParams.get('raw'), null)
    assert.deepEqual(last().protocols, ['v1', 'v2'])
    assert.equal(last().binaryType, 'arraybuffer')
    ports.add(port)
  }
  assert.equal(ports.size, 3)
})

test('connect throws for misuse and says what to change', () => {
  const { net } = setUp()
  const before = FakeWebSocket.made.length
  const setting = 'Network > Allowed hosts (network.allowedHosts in conch.json)'
  throws(() => net.connect('play.example.net'), 'SyntaxError', 'wss://host/path')
  throws(() => net.connect('/ws'), 'SyntaxError', 'wss://host/path')
  throws(() => net.connect(), 'SyntaxError', "'undefined'")
  throws(() => net.connect('https://play.example.net/ws'), 'SyntaxError', 'use wss://play.example.net')
  throws(() => net.connect('http://127.0.0.1:24000/socket.io/'), 'SyntaxError', 'http:// is not accepted')
  throws(() => net.connect('ftp://play.example.net/'), 'SyntaxError', 'ftp:// is not accepted')
  throws(() => net.connect('ws://play.example.net/ws'), 'SyntaxError', 'use wss://play.example.net')
  throws(() => net.connect('ws://127.0.0.2:8080/'), 'SyntaxError', 'only to localhost, 127.0.0.1 and [::1]')
  throws(() => net.connect('wss://play.example.net/#'), 'SyntaxError', 'fragment')
  throws(() => net.connect('wss://u:p@play.example.net/'), 'SyntaxError', 'user name')
  throws(() => net.connect('wss://other.example.net/'), 'SecurityError', setting)
  throws(() => net.connect('wss://example.org/'), 'SecurityError', setting)
  throws(() => net.connect('ws://localhost:8081/'), 'SecurityError', 'localhost:8081')
  throws(() => net.connect('ws://127.0.0.1:24000/ws'), 'SecurityError', 'network.proxy in conch.json')
  throws(() => net.connect('wss://play.example.net/', 'v1'), 'TypeError', 'protocols')
  throws(() => net.connect('wss://play.example.net/', ['v1']), 'TypeError', 'protocols')
  throws(() => net.connect('wss://play.example.net/', { protocols: ['a b'] }), 'SyntaxError', 'subprotocol')
  assert.equal(FakeWebSocket.made.length, before)
})

test('connect accepts what the rules allow', () => {
  const { net } = setUp()
  for (const url of ['wss://play.example.net', 'wss://PLAY.example.net:8443/', 'wss://a.b.example.org/',
    'ws://localhost:8080/', new URL('wss://play.example.net/x'), 'ws://127.0.0.1:24000/socket.io/?EIO=4']) {
    assert.equal(net.connect(url).readyState, 'connecting')
  }
  assert.equal(net.connect('wss://play.example.net', null).url, 'wss://play.example.net/')
})

test('an unlisted host goes to the player when the switch is on', () => {
  const { net } = setUp({ allowAnyHost: true })
  assert.equal(net.connect('wss://other.example.net/').readyState, 'connecting')
  throws(() => net.connect('ws://other.example.net/'), 'SyntaxError', 'wss://other.example.net')
})

test('contexts: what each runtime of the requirement allows', () => {
  const rows = [
    // context, allowAnyHost, available, unlisted wss, listed ws to this machine
    ['standalone', false, true, false, true],
    ['standalone', true, true, true, true],
    ['play-test', false, true, true, true],
    ['room-trusted', true, true, false, false],
    ['room', true, false, false, false],
    ['room-server', true, false, false, false],
    ['standalone-server', true, false, false, false]
  ]
  const connects = (net, url) => {
    try {
      net.connect(url)
      return true
    } catch {
      return false
    }
  }
  for (const [context, allowAnyHost, available, unlisted, plain] of rows) {
    const { net } = setUp({ context, allowAnyHost })
    assert.equal(net.isAvailable(), available, context)
    assert.equal(connects(net, 'wss://play.example.net/'), available, context)
    assert.equal(connects(net, 'wss://other.example.net/'), unlisted, `${context} unlisted`)
    assert.equal(connects(net, 'ws://localhost:8080/'), plain, `${context} plain`)
  }
})

test('without sockets every call throws the one message', () => {
  const { net } = setUp({ available: false })
  assert.equal(UNAVAILABLE, 'net: sockets work in standalone builds, the editor play-test, ' +
    'and Galatrix rooms of games published by admins (client scripts only)')
  const own = net.forOwner('Enemy')
  for (const it of [net, own]) {
    assert.equal(it.isAvailable(), false)
    const calls = [() => it.connect('wss://play.example.net'), () => it.connect('nonsense'), () => it.allowedHosts()]
    for (const call of calls) assert.throws(call, { message: UNAVAILABLE, name: 'NotSupportedError' })
  }
})

test('allowedHosts is a copy of the list as written', () => {
  const { net } = setUp()
  net.allowedHosts().push('evil.example')
  assert.deepEqual(net.allowedHosts(), ['play.example.net', '*.example.org', 'localhost:8080'])
})

test('open, frames and close reach the handlers', () => {
  const { net } = setUp()
  const sock = net.connect('wss://play.example.net', { protocols: 'v1' })
  const calls = record(sock)
  last().accept('v1')
  assert.deepEqual([sock.readyState, sock.protocol], ['open', 'v1'])
  const frame = new ArrayBuffer(3)
  last().frame(frame)
  last().frame('text')
  last().finish(4001, 'bye')
  assert.deepEqual(calls, [['onOpen'], ['onMessage', frame], ['onMessage', 'text'], ['onClose', 4001, 'bye', true]])
  assert.equal(calls[1][1], frame, 'the same buffer')
  assert.equal(sock.readyState, 'closed')
})

test('send passes data on without a copy and refuses the rest', () => {
  const { net } = setUp()
  const sock = net.connect('wss://play.example.net')
  throws(() => sock.send('x'), 'InvalidStateError', 'connecting')
  const ws = last()
  ws.accept()
  const buffer = new ArrayBuffer(16)
  const good = ['', 'text', buffer, new Uint8Array(buffer, 3, 2), new Float64Array(1), new DataView(buffer, 4)]
  for (const data of good) sock.send(data)
  good.forEach((data, i) => assert.equal(ws.sent[i], data))
  assert.equal(sock.bufferedAmount, ws.bufferedAmount)
  for (const data of [undefined, null, 1, {}, [], new Blob([]), new String('x'), Object.create(ArrayBuffer.prototype)]) {
    throws(() => sock.send(data), 'TypeError', 'ArrayBuffer')
  }
  ws.finish()
  throws(() => sock.send('x'), 'InvalidStateError', 'closed')
})

test('close: 1000 by default, the rules for codes and reasons, no error afterwards', () => {
  const { net } = setUp()
  const sock = net.connect('wss://play.example.net')
  const calls = record(sock)
  last().accept()
  throws(() => sock.close(1001), 'InvalidAccessError', 'code')
  throws(() => sock.close(2999), 'InvalidAccessError', 'code')
  throws(() => sock.close(5000), 'InvalidAccessError', 'code')
  throws(() => sock.close(3000, 'ü'.repeat(62)), 'SyntaxError', 'reason')
  assert.equal(sock.readyState, 'open')
  sock.close()
  assert.equal(sock.readyState, 'closing')
  assert.deepEqual(last().closedWith, [1000, ''])
  sock.close(4000)
  last().finish(1006, '', false)
  assert.deepEqual(calls.slice(1), [['onClose', 1006, '', false]])
})

test('close while connecting ends with onClose alone', async () => {
  const { net, asked } = setUp()
  const sock = net.connect('wss://play.example.net')
  const calls = record(sock)
  sock.close(3000, 'changed my mind')
  last().fail()
  await settle()
  assert.deepEqual(calls, [['onClose', 1006, '', false]])
  assert.equal(asked.length, 0)
})

test('a failed connection asks for the reason, then onError, then onClose', async () => {
  const { net, asked } = setUp({}, 'play.example.net: no such host')
  const sock = net.connect('wss://play.example.net')
  const calls = record(sock)
  last().fail()
  assert.deepEqual(calls, [])
  assert.equal(sock.readyState, 'closed')
  await settle()
  assert.deepEqual(calls, [['onError', 'play.example.net: no such host'], ['onClose', 1006, '', false]])
  const id = new URL(last().url).searchParams.get('id')
  assert.deepEqual(asked, [`http://127.0.0.1:24000/__conch/net/reason?id=${id}`])
})

test('a failure without a known reason still has a text', async () => {
  const { net } = setUp()
  const calls = record(net.connect('wss://play.example.net'))
  last().fail()
  await settle()
  assert.deepEqual(calls[0], ['onError', 'no connection to play.example.net'])
  const lost = record(net.connect('wss://play.example.net'))
  last().accept()
  last().finish(1006, '', false)
  await settle()
  assert.deepEqual(lost.slice(1), [['onError', 'the connection to play.example.net was lost'], ['onClose', 1006, '', false]])
})

test('a throw in a handler is logged and the socket stays open', () => {
  const { net, lines } = setUp()
  const sock = net.connect('wss://play.example.net')
  const boom = new Error('boom')
  const seen = []
  sock.onOpen = () => { throw boom }
  sock.onMessage = (data) => {
    seen.push(data)
    throw boom
  }
  last().accept()
  last().frame('a')
  last().frame('b')
  assert.deepEqual(seen, ['a', 'b'])
  assert.equal(sock.readyState, 'open')
  assert.equal(lines.length, 3)
  assert.deepEqual([lines[0][0], lines[0][1], lines[0][3]], ['error', 'net [game]', boom])
})

test('handlers may come late, go away, or be nonsense', async () => {
  const { net } = setUp()
  const sock = net.connect('wss://play.example.net')
  await Promise.resolve()
  const calls = []
  sock.onOpen = () => calls.push('open')
  sock.onMessage = 'not a function'
  last().accept()
  last().frame('x')
  sock.onMessage = null
  last().frame('x')
  assert.deepEqual(calls, ['open'])
})

test('release closes the sockets of one owner and silences them', async () => {
  const { net } = setUp()
  const enemy = net.forOwner('Enemy')
  const other = net.forOwner('Enemy')
  const mine = enemy.connect('wss://play.example.net')
  const calls = record(mine)
  const native = last()
  native.accept()
  const pending = record(enemy.connect('wss://play.example.net'))
  const connecting = last()
  const theirs = record(other.connect('wss://play.example.net'))
  enemy.release()
  assert.equal(mine.readyState, 'closing')
  native.frame('late')
  native.finish()
  connecting.fail()
  last().accept()
  await settle()
  assert.deepEqual(calls, [['onOpen']])
  assert.deepEqual(pending, [])
  assert.deepEqual(theirs, [['onOpen']])
  throws(() => enemy.connect('wss://play.example.net'), 'InvalidStateError', 'Enemy')
  enemy.release()
})

test('release between a failure and its reason silences the rest', async () => {
  const { net } = setUp({}, 'refused')
  const owner = net.forOwner('Door')
  const calls = record(owner.connect('wss://play.example.net'))
  last().fail()
  owner.release()
  await settle()
  assert.deepEqual(calls, [])
})

test('sceneChanged closes everything that is not persistent', () => {
  const { net } = setUp()
  const keep = net.forOwner('Connection', { persistent: true })
  const door = net.forOwner('Door')
  const socks = [net, keep, door].map((it) => it.connect('wss://play.example.net'))
  FakeWebSocket.made.slice(-3).forEach((ws) => ws.accept())
  net.sceneChanged()
  assert.deepEqual(socks.map((sock) => sock.readyState), ['closing', 'open', 'closing'])
  assert.equal(door.connect('wss://play.example.net').readyState, 'connecting')
  assert.equal(net.connect('wss://play.example.net').readyState, 'connecting')
  assert.deepEqual([keep.label, keep.persistent, door.persistent], ['Connection', true, false])
})

test('labels reach the relay, whatever they contain', () => {
  const { net } = setUp()
  for (const [label, want] of [['Gegner #3 & Co', 'Gegner #3 & Co'], ['a\uD800b', 'a\uFFFDb'], ['x'.repeat(300), 'x'.repeat(100)]]) {
    net.forOwner(label).connect('wss://play.example.net')
    assert.equal(new URL(last().url).searchParams.get('o'), want)
  }
  for (const label of ['', undefined, null, 3]) throws(() => net.forOwner(label), 'TypeError', 'label')
})

test('debug writes one labelled line per connection, refusal and close', async () => {
  const { net, lines } = setUp({ debug: true }, 'no such host')
  const lobby = net.forOwner('Lobby')
  lobby.connect('wss://play.example.net/ws?token=secret')
  last().accept()
  last().finish(1000, 'done')
  lobby.connect('wss://play.example.net/gone')
  last().fail()
  await settle()
  assert.throws(() => lobby.connect('wss://other.example.net/?token=secret'))
  assert.throws(() => lobby.connect('wss://me:secret@play.example.net/?token=secret'))
  assert.throws(() => lobby.connect('me:secret@play?token=secret'))
  assert.ok(!lines.join().includes('secret'))
  assert.deepEqual(lines.map((line) => line.join(' ').slice(0, 80)), [
    'info net [Lobby] connected wss://play.example.net/ws',
    'info net [Lobby] closed wss://play.example.net/ws (1000 done)',
    'info net [Lobby] failed wss://play.example.net/gone: no such host',
    'info net [Lobby] refused wss://other.example.net/: net.connect: other.example.ne',
    'info net [Lobby] refused wss://play.example.net/: net.connect: wss://play.exampl',
    'info net [Lobby] refused me:play: net.connect: the scheme me:// is not accepted;'
  ])
})

test('without relay ports the browser connects by itself', async () => {
  const { net, asked } = setUp({ relayPorts: [], context: 'room-trusted' })
  const calls = record(net.connect('wss://play.example.net/ws'))
  assert.equal(last().url, 'wss://play.example.net/ws')
  last().fail()
  await settle()
  assert.deepEqual(calls[0], ['onError', 'no connection to play.example.net'])
  assert.equal(asked.length, 0)
})

test('the namespaces are frozen', () => {
  const { net } = setUp()
  assert.ok(Object.isFrozen(net) && Object.isFrozen(net.forOwner('x')))
})
