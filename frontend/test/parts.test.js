import test from 'node:test'
import assert from 'node:assert/strict'
import { settle } from './fake.js'
import { createShadow, restoreStorage, storageText } from '../src/storage.js'
import { withScript } from '../src/workers.js'
import { isBrowserKey } from '../src/shell.js'

function fakeStorage(entries = {}) {
  const map = new Map(Object.entries(entries))
  return {
    map,
    get length() { return map.size },
    key: (i) => [...map.keys()][i] ?? null,
    getItem: (key) => map.get(key) ?? null,
    setItem: (key, value) => map.set(key, value)
  }
}

test('restore fills in what is missing and overwrites nothing', () => {
  const storage = fakeStorage({ level: '9' })
  restoreStorage(storage, { level: '1', name: 'Ann', empty: '' })
  assert.deepEqual([...storage.map], [['level', '9'], ['name', 'Ann'], ['empty', '']])
  restoreStorage(storage, null)
})

test('the copy is plain JSON, awkward keys included', () => {
  const storage = fakeStorage({ a: 'x"\u2028', length: '1' })
  storage.setItem('__proto__', 'p')
  assert.deepEqual(storageText(storage), '{"a":"x\\"\u2028","length":"1","__proto__":"p"}')
})

test('the copy is sent when it changed, and again when it did not arrive', async () => {
  let text = '{}'
  let kept = false
  const sent = []
  const shadow = createShadow(() => text, async (body, leaving) => {
    sent.push([body, leaving])
    return kept
  })
  shadow()
  await settle()
  kept = true
  shadow()
  await settle()
  shadow(true)
  text = '{"a":"1"}'
  shadow(true)
  shadow()
  assert.deepEqual(sent, [['{}', false], ['{}', false], ['{"a":"1"}', true]])
})

test('a worker script keeps its lines and its mode', () => {
  const page = 'http://127.0.0.1:1/__conch/page.js'
  assert.equal(withScript('a()\nb()', page, 'classic'), `try{importScripts("${page}")}catch{}a()\nb()`)
  assert.equal(withScript('import x from "y"', page, 'module'), `import "${page}";import x from "y"`)
  const strict = ['"use strict"; a()', "\n'use strict'", '// note\n/* x */ "use strict"', '/**/\uFEFF"use strict"']
  for (const source of strict) assert.equal(withScript(source, page, 'classic'), `"use strict";try{importScripts("${page}")}catch{}${source}`)
  for (const source of ['', 'a("use strict")', '// "use strict"', '/* "use strict"', '/'.repeat(5000)]) {
    assert.equal(withScript(source, page, 'classic'), `try{importScripts("${page}")}catch{}${source}`)
  }
})

test('keys that a browser would act on', () => {
  const key = (key, more) => isBrowserKey({ key, code: '', ctrlKey: false, metaKey: false, altKey: false, ...more })
  for (const name of ['F3', 'F5', 'F7']) assert.equal(key(name), true, name)
  for (const name of ['r', 'R', 'p', 'u', 'f', 's', '+', '-', '0']) {
    assert.equal(key(name, { ctrlKey: true }), true, name)
    assert.equal(key(name), false, name)
    assert.equal(key(name, { ctrlKey: true, altKey: true }), false, `AltGr ${name}`)
  }
  assert.equal(key('к', { ctrlKey: true, code: 'KeyR' }), true, 'Cyrillic layout')
  for (const name of ['F1', 'F11', 'F12', 'c', 'v', 'z', 'Escape']) assert.equal(key(name, { ctrlKey: true }), false, name)
})
