import test from 'node:test'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { makeConfig } from './fake.js'
import { createPolicy, decide, UNAVAILABLE } from '../src/policy.js'

const shared = JSON.parse(readFileSync(new URL('../../consent/testdata/decisions.json', import.meta.url), 'utf8'))

test('the shared decisions are taken as in Go', () => {
  for (const { name, mode, url, verdict, code, ...facts } of shared.rows) {
    assert.deepEqual(decide({ ...facts, context: mode, url: new URL(url) }), { verdict, code }, name)
  }
  assert.equal(UNAVAILABLE, shared.unavailable)
})

test('what net.connect throws follows from them', () => {
  for (const { name, mode, listed, allowAny, remembered, url, code } of shared.rows) {
    if (remembered) continue // the page does not know
    const here = new URL(url)
    const allowedHosts = listed ? [here.host] : []
    const policy = createPolicy(makeConfig({ context: mode, allowAnyHost: allowAny, allowedHosts }))
    assert.equal(policy.available, code !== 'no-sockets', name)
    if (!policy.available) continue
    const text = policy.scheme(here) || policy.host(here)
    assert.equal(text !== '', code !== '', `${name}: ${text}`)
    for (const part of shared.texts[code] || []) assert.ok(text.includes(part), `${name}: ${text}`)
    // Only where the switch would help is it named.
    const helps = code === 'not-listed' && (mode === 'standalone' || mode === '')
    assert.equal(text.includes(shared.switch), helps, `${name}: ${text}`)
  }
})
