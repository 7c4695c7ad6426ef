import test from 'node:test'
import assert from 'node:assert/strict'
import { FakeWebSocket, last, makeConfig, makeConsole, settle } from './fake.js'
import { createDriver } from '../src/driver.js'
import { createLog } from '../src/log.js'
import { createPolicy } from '../src/policy.js'
import { createRelay } from '../src/relay.js'
import { installWebSocket } from '../src/websocket.js'

function setUp(changes, message = '') {
  class Native extends FakeWebSocket {
    get url() { return super.url }
  }
  const config = makeConfig(changes)
  const console = makeConsole()
  const relay = createRelay(config, async () => message ? { status: 200, json: async () => ({ message }) } : { status: 204 })
  const scope = { WebSocket: Native, Event, MessageEvent: class { get origin() { return '' } } }
  installWebSocket(scope, { policy: createPolicy(config), relay, log: createLog(config, console), driver: createDriver(Native) })
  return { WebSocket: scope.WebSocket, Native, lines: console.lines }
}

const nativeURL = Object.getOwnPropertyDescriptor(FakeWebSocket.prototype, 'url').get
const relayOf = (ws) => nativeURL.call(ws)

test('the class keeps its shape', () => {
  const { WebSocket, Native } = setUp()
  const ws = new WebSocket('wss://play.example.net')
  assert.ok(ws instanceof WebSocket && ws instanceof Native)
  assert.equal(ws.constructor, WebSocket)
  assert.equal(WebSocket.name, 'Native')
  assert.deepEqual([WebSocket.CONNECTING, WebSocket.OPEN, WebSocket.CLOSING, WebSocket.CLOSED], [0, 1, 2, 3])
  assert.throws(() => WebSocket('wss://play.example.net'), TypeError)
  assert.throws(() => new WebSocket(), TypeError)
  class Mine extends WebSocket {}
  const mine = new Mine('wss://play.example.net/x')
  assert.ok(mine instanceof Mine && mine instanceof WebSocket)
  assert.equal(mine.url, 'wss://play.example.net/x')
})

test('addresses are resolved, mapped and sent to the relay', () => {
  const { WebSocket } = setUp()
  const rows = [
    ['wss://play.example.net', 'wss://play.example.net/', 'wss://play.example.net/'],
    ['https://play.example.net:443/a', 'wss://play.example.net/a', 'wss://play.example.net/a'],
    ['http://localhost:8080', 'ws://localhost:8080/', 'ws://localhost:8080/'],
    ['/socket.io/?EIO=4', 'ws://127.0.0.1:24000/socket.io/?EIO=4', 'ws://127.0.0.1:24000/socket.io/?EIO=4'],
    ['wss://127.0.0.1:24000/socket.io/', 'wss://127.0.0.1:24000/socket.io/', 'ws://127.0.0.1:24000/socket.io/']
  ]
  for (const [given, url, far] of rows) {
    const ws = new WebSocket(given)
    assert.equal(ws.url, url)
    const { searchParams } = new URL(relayOf(last()))
    assert.equal(searchParams.get('u'), far)
    assert.equal(searchParams.get('raw'), '1')
  }
})

test('bad addresses throw what the native class throws, before anything is made', () => {
  const { WebSocket } = setUp()
  const before = FakeWebSocket.made.length
  for (const bad of ['wss://', 'ftp://a.net/', 'wss://a.net/#', 'wss://a.net/#x', 'javascript:1']) {
    assert.throws(() => new WebSocket(bad), { name: /SyntaxError|TypeError/ }, bad)
  }
  assert.throws(() => new WebSocket('wss://play.example.net', { headers: {} }), { name: 'SyntaxError' })
  assert.throws(() => new WebSocket(Symbol('x')), TypeError)
  assert.equal(FakeWebSocket.made.length, before)
})

test('a refused host is one console error that names the setting', async () => {
  const { WebSocket, lines } = setUp({}, 'not on the list')
  new WebSocket('wss://other.example.net/?token=secret')
  last().fail()
  await settle()
  assert.equal(lines.length, 1)
  assert.equal(lines[0][0], 'error')
  assert.match(lines[0].join(' '), /refused wss:\/\/other\.example\.net\/: .*Network > Allowed hosts \(network\.allowedHosts in conch\.json\)/)
})

test('an own address without a proxy names network.proxy', () => {
  const { WebSocket, lines } = setUp()
  new WebSocket('/ws')
  assert.match(lines[0].join(' '), /network\.proxy in conch\.json/)
})

test('plain ws:// to a listed host is noted once and keeps its URL', () => {
  const { WebSocket, lines } = setUp()
  for (let i = 0; i < 2; i++) {
    assert.equal(new WebSocket('ws://play.example.net:8081/').url, 'ws://play.example.net:8081/')
    assert.equal(new URL(relayOf(last())).searchParams.get('u'), 'ws://play.example.net:8081/')
  }
  assert.equal(lines.length, 1)
  assert.match(lines[0].join(' '), /warn .*tried as wss:/)
  new WebSocket('ws://localhost:8080/')
  assert.equal(lines.length, 1)
})

test('a failure that the launcher explains is one console error, others none', async () => {
  const told = setUp({}, 'certificate expired')
  new told.WebSocket('wss://play.example.net/')
  last().fail()
  await settle()
  assert.deepEqual(told.lines.map((line) => line.join(' ')), ['error net [game] failed wss://play.example.net/: certificate expired'])
  const quiet = setUp()
  new quiet.WebSocket('wss://play.example.net/')
  last().fail()
  await settle()
  assert.deepEqual(quiet.lines, [])
})
