import test from 'node:test'
import assert from 'node:assert/strict'
import { mayJoin, parseAddress } from '../../src/session/address.js'

test('addresses as players write them', () => {
  const cases = [
    ['192.168.1.20', '192.168.1.20:24642'], ['192.168.1.20:5000', '192.168.1.20:5000'], [' box.local ', 'box.local:24642'],
    ['localhost:80', 'localhost:80'], ['[::1]:5000', '[::1]:5000'], ['[fe80::1]', '[fe80::1]:24642'], ['fe80::1', '[fe80::1]:24642'],
    ['ws://10.0.0.1:7000', '10.0.0.1:7000'], ['ws://10.0.0.1', '10.0.0.1:24642'], ['ws://10.0.0.1/_conch/session', '10.0.0.1:24642'], ['ws://10.0.0.1:80', '10.0.0.1:80'],
    ['wss://play.example.net', 'play.example.net:443', true], ['wss://play.example.net:443/', 'play.example.net:443', true],
    ['WSS://play.example.net:8443', 'play.example.net:8443', true], ['HOST.example.net.', 'host.example.net:24642'],
    ['http://192.168.1.20:24642/j/K7M2QX', '192.168.1.20:24642', false, 'K7M2QX'], ['0x7f.1', '127.0.0.1:24642']
  ]
  for (const [text, want, secure = false, code = ''] of cases) {
    const got = parseAddress(text)
    assert.deepEqual([got?.text, got?.secure, got?.code], [want, secure, code], text)
  }
})

test('what is no address', () => {
  const bad = ['', ' ', 'a b', 'ftp://a', 'a:0', 'a:65536', 'a:x', 'user@a', 'ws://u:p@a', 'a/path', 'a?x', 'a#x', '[::1', 'a\\b', ':80',
    'http://a/j/', 'http://a/j/K7M2QX/x', null, undefined, 5, {}]
  for (const text of bad) assert.equal(parseAddress(text), null, JSON.stringify(text))
})

test('the launcher joins on this computer, on the local network and at allowed hosts', () => {
  const may = (text) => mayJoin(parseAddress(text), ['play.example.net', '*.example.org:8443'])
  for (const text of ['127.0.0.1', 'localhost', '[::1]', '10.1.2.3', '192.168.0.1', '172.16.0.1', '172.31.255.255', '169.254.1.1',
    'box.local', 'fe80::1', 'fd00::1', 'fc12::1', '::ffff:10.0.0.1', 'wss://play.example.net', 'a.example.org:8443']) assert.ok(may(text), text)
  for (const text of ['8.8.8.8', '172.32.0.1', '172.15.0.1', '193.168.0.1', '0.0.0.0', '[2001:db8::1]', 'example.com', '10.evil.example',
    'local', 'box.local.example', 'a.example.org:1', 'ff02::1', '[::]']) assert.ok(!may(text), text)
})
