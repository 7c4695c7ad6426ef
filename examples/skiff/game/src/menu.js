/** The harbour board: the player's boat, the list of servers with their pings, the run alone. */

import { Pinger, harbours } from './harbours.js'
import { Friends } from './friends.js'
import { paintBoat, paintWake } from './paint.js'
import { Boat, COLORS } from './world.js'

const $ = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector))

export class Menu {
  /**
   * @param {import('./net.js').Net} net
   * @param {{name: string, color: number, best: number}} player
   * @param {{join(h: import('./harbours.js').Harbour): void, solo(): void, back(): void, changed(): void, host(): void,
   *   friend(address: string, code: string): void, leave(): void}} on
   */
  constructor(net, player, on) {
    Object.assign(this, { net, player, on })
    this.root = $('#menu')
    this.list = $('#list')
    this.pingers = []
    this.here = null // the harbour of the open game
    this.online = net.isAvailable()
    $('#transport').textContent = this.online ? net.label : 'no sockets here: sail alone'
    this.friends = new Friends(on)
    $('#solo').onclick = () => on.solo()
    $('#back').onclick = () => on.back()
    this.nameField()
    this.swatches()
    this.rows = this.online ? harbours(net.allowedHosts()).map((h) => this.row(h)) : []
    if (!this.online) this.list.innerHTML = '<li class="none">Playing together needs sockets, and this place has none. Your own sea is open.</li>'
  }

  nameField() {
    const field = /** @type {HTMLInputElement} */ ($('#name'))
    field.value = this.player.name
    field.oninput = () => {
      this.player.name = field.value.trim() || 'Sailor'
      this.on.changed()
    }
    field.onkeydown = (e) => {
      if (e.key === 'Enter') this.first()?.focus()
    }
  }

  swatches() {
    const box = $('#colors')
    COLORS.forEach((color, n) => {
      const b = document.createElement('button')
      b.style.background = color
      b.setAttribute('role', 'radio')
      b.setAttribute('aria-label', 'Sail ' + (n + 1))
      b.onclick = () => {
        this.player.color = n
        this.mark()
        this.on.changed()
      }
      box.append(b)
    })
    this.mark()
  }

  mark() {
    $('#colors').childNodes.forEach((b, n) => b.setAttribute('aria-checked', String(n === this.player.color)))
  }

  row(harbour) {
    const li = document.createElement('li')
    li.innerHTML = '<div class="where"><b></b><i></i></div><div class="state"></div><div class="depth"><b>–</b><i>ms</i></div><button>Join</button>'
    li.querySelector('b').textContent = harbour.name
    li.querySelector('i').textContent = (harbour.host === harbour.name ? '' : harbour.host + ' · ') + harbour.note
    const button = li.querySelector('button')
    button.onclick = () => this.on.join(harbour)
    this.list.append(li)
    return { harbour, li, button, state: li.querySelector('.state'), depth: li.querySelector('.depth') }
  }

  first() {
    return /** @type {HTMLElement | null} */ (this.list.querySelector('li.open button') ?? $('#solo'))
  }

  get shown() { return !this.root.hidden }

  /** @param {import('./harbours.js').Harbour | null} here the harbour of the game behind the board @param {any} mode what is sailed behind the board */
  show(here, mode) {
    const game = !!mode
    this.friends.show(mode)
    this.here = here
    this.root.hidden = false
    $('#back').hidden = !game
    $('#best').textContent = this.player.best ? `90 seconds against your best run: ${this.player.best}` : '90 seconds, and then your own ghost to beat'
    this.pingers = this.rows.map((row) => new Pinger(this.net, row.harbour, (pinger) => this.tell(row, pinger)))
    this.rows.forEach((row, n) => this.tell(row, this.pingers[n]))
    const main = game ? $('#back') : this.first()
    main?.focus({ preventScroll: true })
  }

  hide() {
    this.root.hidden = true
    for (const p of this.pingers) p.close()
    this.pingers = []
    if (this.root.contains(document.activeElement)) document.activeElement.blur()
  }

  tell(row, pinger) {
    const { ms, info, error } = pinger
    const here = this.here?.url === row.harbour.url
    row.li.className = (error ? 'shut' : ms === null ? 'asking' : 'open') + (here ? ' here' : '')
    row.depth.firstChild.textContent = ms === null ? '–' : ms < 9.95 ? ms.toFixed(1) : String(Math.round(ms))
    row.depth.style.setProperty('--reach', ms === null ? '0' : String(Math.max(0.15, 1 - ms / 220)))
    row.state.textContent = error || (info ? crewText(info) : 'asking…')
    row.state.title = error
    row.button.textContent = here ? 'You are here' : 'Join'
    row.button.disabled = here
  }

  /** Moves the focus over the board, for arrow keys and gamepads. */
  step(by) {
    const all = [...this.root.querySelectorAll('button:not(:disabled):not([hidden])')].filter((b) => b.parentElement.id !== 'colors')
    const at = all.indexOf(document.activeElement)
    all[(at + by + all.length) % all.length]?.focus()
  }

  /** The small boat beside the name. */
  draw(time, wind) {
    const canvas = /** @type {HTMLCanvasElement} */ ($('#preview'))
    const c = canvas.getContext('2d')
    const k = Math.min(2, globalThis.devicePixelRatio || 1)
    if (canvas.width !== 112 * k) canvas.width = canvas.height = 112 * k
    c.setTransform(k, 0, 0, k, 0, 0)
    c.fillStyle = '#1c8193'
    c.fillRect(0, 0, 112, 112)
    this.model ??= new Boat({ id: 3, name: '', x: 0, y: 0, h: -0.5 })
    const boat = this.model
    boat.color = this.player.color
    boat.v = 160
    boat.h = -0.55 + Math.sin(time * 0.9) * 0.12
    boat.wake = [5, 4, 3, 2, 1].map((n) => ({ x: -22 * Math.cos(boat.h) - n * 16, y: -22 * Math.sin(boat.h) + n * 9, h: -0.55, v: 160, age: n * 0.25 }))
    c.translate(58, 54)
    c.scale(1.28, 1.28)
    paintWake(c, boat)
    paintBoat(c, boat, wind, time)
  }
}

function crewText(info) {
  const others = info.boats - info.crew
  const crew = info.crew === 0 ? 'nobody out' : info.crew === 1 ? '1 sailor' : info.crew + ' sailors'
  return crew + (others > 0 ? ` · ${others} ${others === 1 ? 'bot' : 'bots'}` : '')
}
