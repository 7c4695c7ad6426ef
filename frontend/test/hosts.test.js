import test from 'node:test'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { hostOf, isLocal, matches, parseList, parsePattern, portOf } from '../src/hosts.js'

const shared = new URL('../../consent/hostlist/testdata/vectors.json', import.meta.url)
const vectors = JSON.parse(readFileSync(shared, 'utf8'))

test('the shared vectors match as they do in Go', () => {
  for (const { name, patterns, url, match } of vectors.list) {
    assert.equal(matches(parseList(patterns), new URL(url)), match, `${name}: ${url}`)
  }
})

test('a target that Go accepts is the same host and port here', () => {
  for (const { url, ok, canonical } of vectors.target) {
    if (!ok) continue
    const here = new URL(url)
    const [, secure, host, port] = /^ws(s?):\/\/(\[[^\]]*\]|[^:/]*)(?::(\d+))?/.exec(canonical)
    assert.equal(hostOf(here), host.replace(/^\[|\]$/g, ''), url)
    assert.equal(portOf(here), Number(port || (secure ? 443 : 80)), url)
  }
})

test('lines that name no host match nothing', () => {
  const lines = ['', '# note', '*', '*.', 'a b', 'https://a.net', 'a.net/x', 'u@a.net', 'a.net:', 'a.net:0',
    'a.net:65536', 'a.*.net', 'x*.net', '*.10.0.0.1', '[::1', '[fe80::1%eth0]', 'a..net', '.a.net']
  for (const line of lines) assert.equal(parsePattern(line), null, JSON.stringify(line))
})

test('the three local names, in any spelling', () => {
  for (const host of ['localhost', 'LOCALHOST.', '127.0.0.1:9', '127.1', '[::1]', '[0::1]']) {
    assert.equal(isLocal(new URL(`ws://${host}/`)), true, host)
  }
  for (const host of ['127.0.0.2', '0.0.0.0', 'a.localhost', 'localhost.example.net', '[::2]']) {
    assert.equal(isLocal(new URL(`ws://${host}/`)), false, host)
  }
})
