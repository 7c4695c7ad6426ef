/** Joins the parts: one sea is sailed at a time, the board may stand before it. */

import { Lobby } from './friends.js'
import { Hud } from './hud.js'
import { Input } from './input.js'
import { Attract, Solo } from './local.js'
import { Menu } from './menu.js'
import { openNet } from './net.js'
import { Online } from './online.js'
import { SeaView } from './sea.js'
import { SessionGame } from './session.js'
import { Sound } from './sound.js'
import { loadGhost, loadPlayer, loadSettings, saveGhost, savePlayer, saveSettings } from './store.js'

const EMOTES = ['Ahoy!', 'Well sailed', 'Sorry!', '']
const NAMES = ['Perch', 'Tern', 'Puffin', 'Bream', 'Curlew', 'Otter', 'Plover', 'Smelt']
const IDLE = { turn: 0, aim: null, thrust: 0.25, gust: false }

const net = openNet()
const query = new URLSearchParams(location.search)
const player = loadPlayer()
player.name = query.get('name')?.slice(0, 16) || player.name || NAMES[Math.floor(Math.random() * NAMES.length)]
const settings = { sound: true }
const sound = new Sound()
const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('#sea'))
const view = new SeaView(canvas)
const attract = new Attract()
/** @type {Solo | Online | SessionGame | null} */
let mode = null
let ghost

const menu = new Menu(net, player, {
  join,
  solo,
  host: () => friends({}),
  friend: (address, code) => friends({ address, code }),
  leave: toHarbours,
  back: () => closeMenu(),
  changed() {
    savePlayer(player)
    if (mode?.me && mode.kind === 'solo') Object.assign(mode.me, { name: player.name, color: player.color })
  },
})

const hud = new Hud({
  say: (text) => mode?.chat?.(text),
  emote,
  gust: () => { input.gust = true },
  menu: openMenu,
  again,
  solo,
})

const lobby = new Lobby({ start: () => mode?.race?.start(), leave: toHarbours })

const input = new Input(canvas, command, () => !menu.shown && !!mode?.world && !mode.done)

const events = {
  take(points, combo, gold) {
    sound.take(combo, gold)
    if (mode.kind === 'online' && mode.me.score > player.bestRound) {
      player.bestRound = mode.me.score
      savePlayer(player)
    }
  },
  bump: () => sound.bump(),
  gust: () => sound.gust(),
  chat(boat, text) {
    bubble(boat, { text })
    hud.line(boat, text)
    if (boat !== mode.me) sound.blip()
  },
  emote: showEmote,
  crew: (text) => hud.line(null, text),
  round(best) {
    sound.over()
    const rows = best.map((b) => ({ ...b, me: b.id === mode.me.id }))
    const won = rows[0]?.me && rows[0].score > 0
    hud.board(won ? 'The round is yours' : 'The round is over', rows, `A new one begins. Your best round: ${player.bestRound}`, false)
  },
  state(online) {
    // The first state comes from inside the constructor, before the mode is set.
    if (online.state === 'sailing') {
      if (online !== mode) return
      hud.show(online.kind)
      if (online.kind === 'online') hud.toast(online.harbour.name)
      document.title = 'Skiff · ' + online.harbour.name
    }
    hud.lost(online)
  },
  toast: (text) => hud.toast(text),
  finish(rows) {
    sound.over()
    hud.board(rows[0].me && rows[0].score > 0 ? 'The race is yours' : 'The race is over', rows, 'Back to the lobby in a moment.', false)
  },
  over: runOver,
}

function join(harbour) {
  leave()
  mode = new Online(net, harbour, player, events)
  closeMenu()
}

function solo() {
  leave()
  mode = new Solo(player, ghost, events)
  hud.show('solo')
  document.title = 'Skiff · alone'
  hud.toast('The clock starts when you set sail')
  closeMenu()
}

/** Hosts a race for friends, or joins one. */
function friends(how) {
  leave()
  mode = new SessionGame(how, player, events)
  closeMenu()
}

function toHarbours() {
  leave()
  openMenu()
}

function again() {
  if (mode?.kind === 'session') return friends(mode.how)
  if (mode?.kind !== 'online') return solo()
  mode.tries = 0
  mode.connect()
}

/** Ends the sea that is sailed now. */
function leave() {
  mode?.end()
  mode = null
  hud.hide()
  hud.hideBoard()
  hud.lost(null)
  document.title = 'Skiff'
}

function runOver(score, path) {
  sound.over()
  const better = score > player.best
  const rows = [{ name: player.name, color: player.color, score, me: true }]
  if (player.best) rows.push({ name: 'Best so far', color: player.color, score: player.best })
  rows.sort((a, b) => b.score - a.score)
  if (better) {
    player.best = score
    savePlayer(player)
    ghost = { score, path }
    saveGhost(ghost)
  }
  hud.board(better ? 'Your best run' : 'Back in port', rows, better ? 'Its ghost sails with you from now on.' : 'The ghost got away this time.', true)
}

function openMenu() {
  hud.hideBoard()
  if (mode && mode.kind !== 'solo' && (!mode.world || mode.state === 'ended')) leave()
  if (mode?.done) leave()
  input.release()
  document.body.classList.add('board')
  hud.lost(null)
  menu.hide()
  menu.show(mode?.kind === 'online' ? mode.harbour : null, mode)
}

function closeMenu() {
  menu.hide()
  document.body.classList.remove('board')
  hud.lost(mode)
  sound.start()
}

function emote(k) {
  if (mode && mode.kind !== 'solo') mode.emote(k)
  else if (mode?.me) showEmote(mode.me, k)
}

function showEmote(boat, k) {
  bubble(boat, k === 3 ? { text: '', heart: true } : { text: EMOTES[k] ?? '' })
  if (k === 0) {
    sound.horn()
    mode.world.effects.push({ kind: 'horn', boat, age: 0, life: 0.9 })
  } else sound.blip()
}

function bubble(boat, { text, heart = false }) {
  const life = heart ? 2.2 : 2.2 + text.length * 0.06
  boat.bubble = { text, heart, left: life, life }
}

function command(what, k) {
  if (what === 'full') return fullScreen()
  if (what === 'sound') return toggleSound()
  if (what === 'press') return document.activeElement instanceof HTMLButtonElement && document.activeElement.click()
  if (what === 'up' || what === 'down') return menu.step(what === 'up' ? -1 : 1)
  if (what === 'talk') return mode?.kind === 'online' && hud.talk()
  if (what === 'emote') return emote(k)
  if (!document.querySelector('#say').hidden) return hud.hush()
  if (!menu.shown) openMenu()
  else if (mode) closeMenu()
}

function fullScreen() {
  const done = document.fullscreenElement ? document.exitFullscreen?.() : document.documentElement.requestFullscreen?.()
  done?.catch(() => hud.toast('Full screen is not possible here'))
}

function toggleSound() {
  settings.sound = !settings.sound
  saveSettings(settings)
  showSound()
  sound.start()
}

function showSound() {
  sound.setOn(settings.sound)
  document.body.classList.toggle('mute', !settings.sound)
}

for (const b of document.querySelectorAll('.full')) b.onclick = () => { fullScreen(); b.blur() }
for (const b of document.querySelectorAll('.sound')) b.onclick = () => { toggleSound(); b.blur() }
addEventListener('resize', () => view.resize())
matchMedia('(resolution: 1dppx)').addEventListener?.('change', () => view.resize())
addEventListener('pagehide', () => mode?.end())

let before = performance.now()
let frames = 0
let counted = before

function frame(now) {
  const ms = now - before
  const dt = Math.min(0.05, Math.max(0, ms / 1000))
  before = now
  view.pace(ms)
  input.poll()
  const sailing = mode?.world ? mode : null
  const paused = mode?.kind === 'solo' && menu.shown
  if (mode && !paused) mode.update(dt, sailing && !menu.shown ? input.helm(mode.me, (x, y) => view.toSea(x, y)) : IDLE)
  if (!sailing) attract.update(dt)
  const sea = sailing ?? attract
  const aside = menu.shown && view.width > 900 ? { x: -0.24, y: 0.08 } : { x: 0, y: 0 }
  view.follow(sea.eye, dt, aside)
  view.draw(sea.world, dt, menu.shown ? undefined : sailing?.me)
  if (sailing && !menu.shown) hud.update(mode, dt)
  lobby.update(mode)
  if (menu.shown) menu.draw(view.time, sea.world.wind)
  else if (mode?.state === 'waiting') hud.lost(mode)
  if (++frames === 30) {
    skiff.fps = Math.round(30000 / (now - counted))
    frames = 0
    counted = now
  }
  requestAnimationFrame(frame)
}

/** For tests and the curious: what is going on, in plain values. */
const skiff = {
  fps: 0,
  get state() { return mode ? (mode.kind === 'solo' ? 'solo' : mode.state) : 'menu' },
  get boats() { return mode?.world?.boats.size ?? 0 },
  get crew() { return [...(mode?.world?.boats.values() ?? [])].map(({ name, x, y, h, score }) => ({ name, x, y, h, score, me: name === mode.me.name })) },
  get score() { return mode?.me?.score ?? 0 },
  get error() { return mode?.error ?? '' },
  get pings() { return menu.pingers.map((p) => ({ host: p.harbour.host, ms: p.ms, error: p.error })) },
}
globalThis.skiff = skiff

showSound()
openMenu()
requestAnimationFrame(frame)

Promise.all([loadSettings(), loadGhost()]).then(([saved, best]) => {
  Object.assign(settings, saved)
  ghost = best
  showSound()
})

// ?join=N opens the N-th harbour at once, ?solo the run alone, ?name=… says who: for a link, a kiosk or a test.
if (query.has('solo')) solo()
else if (menu.rows[Number(query.get('join') ?? NaN)]) join(menu.rows[Number(query.get('join'))].harbour)
