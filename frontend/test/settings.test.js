import assert from 'node:assert/strict'
import { test } from 'node:test'

import { asideText, gamesOf, guard, identity } from '../settings/model.js'

const since = '2026-01-02T03:04:05Z'
const row = (game, host, more = {}) => ({ game, name: 'Skiff', host, since, protection: 'system keychain', ...more })

test('approvals are grouped by identity, never by name', () => {
  const list = {
    approvals: [row('key:ab12:net.example.skiff', 'a.example'), row('key:ab12:net.example.skiff', 'b.example:8443'), row('sha256:ff00', 'a.example')],
    running: ['sha256:ff00'], aside: [],
  }
  const games = gamesOf(list)
  assert.deepEqual(games.map(g => [g.name, g.mark, g.running, g.hosts.map(h => h.host)]), [
    ['Skiff', 'ab12', false, ['a.example', 'b.example:8443']],
    ['Skiff', 'ff00', true, ['a.example']],
  ])
  assert.match(games[0].who, /^Signed by its author as net\.example\.skiff\./)
  assert.match(games[1].who, /^Not signed\./)
})

test('identities that are not known are shown as they are', () => {
  assert.deepEqual(identity('other'), { who: 'A game of an unknown kind:', mark: 'other' })
  assert.equal(identity('key:ab:a:b').who, 'Signed by its author as a:b. Your answers hold for every version signed with this key:')
})

test('a game without a name has words for it', () => {
  assert.equal(gamesOf({ approvals: [row('sha256:1', 'x', { name: '' })], running: [], aside: [] })[0].name, 'A game without a name')
})

test('what protects the answers is said once, in words', () => {
  const file = 'a local file (anyone who can change your files can change this)'
  assert.equal(guard('system keychain'), "Protected by the system's keychain.")
  assert.equal(guard(file), `Protected by: ${file}.`)
  const list = { approvals: [row('sha256:1', 'x', { protection: file }), row('sha256:1', 'y', { protection: file })], running: [], aside: [] }
  assert.deepEqual(gamesOf(list)[0].guard, [`Protected by: ${file}.`])
})

test('a list put aside is named', () => {
  assert.equal(asideText([]), '')
  assert.match(asideText(['approvals.db.bad-1', 'approvals.db.bad-2']), /approvals\.db\.bad-1, approvals\.db\.bad-2/)
})

test('joining and hosting are told apart from connecting', () => {
  const list = { approvals: [row('sha256:1', 'a.example', { kind: 'connect' }), row('sha256:1', '192.168.1.20:24642', { kind: 'join' }),
    row('sha256:1', 'this network', { kind: 'host' })], running: [], aside: [] }
  assert.deepEqual(gamesOf(list)[0].hosts.map(h => h.what + h.host), ['a.example', 'Join a game at 192.168.1.20:24642', 'Let people join over this network'])
})
