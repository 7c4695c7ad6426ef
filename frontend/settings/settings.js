// The settings page: what each game may reach because the player said yes, and Forget. Everything it shows is data: it
// is put into the document as text, never as markup.

import { asideText, gamesOf } from './model.js'

const LIST = '/__conch/approvals'
const FORGET = '/__conch/approvals/forget'
const REFRESH_MS = 3000

/** @type {<T extends HTMLElement>(id: string) => T} */
const part = id => /** @type {any} */ (document.getElementById(id))

const games = part('games')
const status = part('status')
const problem = part('problem')
/** @type {HTMLDialogElement} */
const sure = part('sure')

let shown = '' // the list as it is on the page
let reading = 0
let last = Promise.resolve()

/**
 * @param {string} name
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} inside
 */
function make(name, attributes = {}, ...inside) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...inside)
  return element
}

/** Host names and digests are read from left to right whatever stands around them.
 * @param {string} text */
const code = text => make('code', { dir: 'ltr' }, text)

/**
 * @param {string} label
 * @param {string} full what a screen reader says
 * @param {object} what
 * @param {string} done
 */
function forgetButton(label, full, what, done) {
  const button = make('button', { type: 'button', class: 'forget', 'aria-label': full }, label)
  button.addEventListener('click', () => forget(what, done))
  return button
}

/** @param {import('./model.js').Game} game @param {number} i */
function card(game, i) {
  const title = make('h2', { id: `game-${i}` }, make('bdi', {}, game.name))
  const head = make('header', {}, title)
  if (game.running) head.append(make('span', { class: 'running' }, 'Running now'))
  const rows = game.hosts.map(({ host, what, since }) => {
    const date = new Date(since)
    const time = make('time', { datetime: since }, date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }))
    const button = forgetButton('Forget', `Forget ${what}${host}`, { game: game.id, host }, `Forgotten: ${host}`)
    return make('tr', {}, make('td', {}, what, code(host)), make('td', {}, time), make('td', {}, button))
  })
  const table = make('table', { 'aria-labelledby': `game-${i}` },
    make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'Host'), make('th', { scope: 'col' }, 'Allowed since'),
      make('th', { scope: 'col' }, make('span', { class: 'unseen' }, 'Forget')))),
    make('tbody', {}, ...rows))
  const section = make('section', { class: 'game', 'aria-labelledby': `game-${i}` }, head,
    make('p', { class: 'who' }, `${game.who} `, code(game.mark)), table,
    make('p', { class: 'guard' }, game.guard.join(' ')))
  if (game.hosts.length > 1) {
    section.append(forgetButton('Forget all of this game', `Forget all of ${game.name}`, { game: game.id }, `Forgotten: all of ${game.name}`))
  }
  return section
}

/** @param {import('./model.js').List} list */
function show(list) {
  const aside = asideText(list.aside)
  part('aside').textContent = aside
  part('aside').hidden = aside === ''
  const cards = gamesOf(list).map(card)
  const hadFocus = games.contains(document.activeElement)
  games.replaceChildren(...(cards.length > 0 ? cards : [make('p', { class: 'empty' }, 'You have not allowed any host. When a game asks and you allow one, it is listed here.')]))
  part('all').hidden = cards.length === 0
  if (hadFocus) part('top').focus()
}

/** @param {string} text */
function trouble(text) {
  part('problem-text').textContent = text
  problem.hidden = text === ''
}

/** @param {Response} answer */
async function failure(answer) {
  const body = await answer.json().catch(() => ({}))
  return String(body.error || `answer ${answer.status}`)
}

/** Reads the list after whatever is being read already. */
function refresh() {
  reading++
  last = last.then(read)
  return last
}

async function read() {
  try {
    const answer = await fetch(LIST)
    if (!answer.ok) throw new Error(await failure(answer))
    const text = await answer.text()
    if (text !== shown) show(JSON.parse(text))
    shown = text
    trouble('')
  } catch (e) {
    trouble(`The list cannot be read now (${/** @type {Error} */ (e).message}).`)
    if (shown === '') games.replaceChildren()
  } finally {
    games.setAttribute('aria-busy', 'false')
    reading--
  }
}

/** @param {object} what @param {string} done */
async function forget(what, done) {
  for (const button of document.querySelectorAll('button')) button.disabled = true
  let text = ''
  try {
    const answer = await fetch(FORGET, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(what) })
    if (!answer.ok) text = await failure(answer)
  } catch (e) {
    text = /** @type {Error} */ (e).message
  }
  for (const button of document.querySelectorAll('button')) button.disabled = false
  status.textContent = text === '' ? done : `Not forgotten (${text}).`
  await refresh()
  part('top').focus()
}

part('again').addEventListener('click', refresh)
part('forget-all').addEventListener('click', () => sure.showModal())
part('sure-no').addEventListener('click', () => sure.close())
part('sure-yes').addEventListener('click', () => {
  sure.close()
  forget({ all: true }, 'Forgotten: everything')
})
addEventListener('focus', () => { if (reading === 0) refresh() })
addEventListener('contextmenu', event => event.preventDefault())
setInterval(() => { if (!document.hidden && reading === 0) refresh() }, REFRESH_MS)
refresh()
