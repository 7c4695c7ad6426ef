/** What stands over the sea while sailing: score, clock, crew, talk, chart, and the two boards. */

import { Chart } from './sea.js'
import { COLORS, GUST_WAIT } from './world.js'

const $ = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector))

export class Hud {
  /** @param {{say(text: string): void, emote(k: number): void, gust(): void, menu(): void, again(): void, solo(): void}} on */
  constructor(on) {
    this.on = on
    this.chart = new Chart(document.querySelector('#map canvas'))
    this.crewIn = 0
    this.crewText = ''
    $('#to-menu').onclick = () => on.menu()
    $('#open-say').onclick = () => this.talk()
    $('#gust').onpointerdown = (e) => {
      e.preventDefault()
      on.gust()
    }
    for (const b of document.querySelectorAll('#emotes button')) {
      b.onclick = () => {
        on.emote(Number(b.dataset.k))
        b.blur()
      }
    }
    const form = $('#say')
    const field = form.querySelector('input')
    form.onsubmit = (e) => {
      e.preventDefault()
      if (field.value.trim()) on.say(field.value.trim())
      this.hush()
    }
    field.onblur = () => this.hush()
    for (const box of ['#lost', '#board']) {
      $(box + ' .again').onclick = () => on.again()
      $(box + ' .home').onclick = () => on.menu()
    }
    $('#lost .alone').onclick = () => on.solo()
  }

  show(mode) {
    $('#hud').hidden = false
    $('#hud').className = mode
    $('#lines').textContent = ''
    this.crewText = ''
    $('#clock').nextElementSibling.textContent = mode === 'solo' ? 'left of the run' : 'left in the round'
  }
  hide() { $('#hud').hidden = true }

  talk() {
    $('#say').hidden = false
    $('#open-say').hidden = true
    $('#say input').focus()
  }
  hush() {
    if ($('#say').hidden) return
    $('#say').hidden = true
    $('#open-say').hidden = false
    $('#say input').value = ''
    $('#say input').blur()
  }

  /** One line of talk; without a boat it is news. */
  line(boat, text) {
    if (!text) return
    const li = document.createElement('li')
    if (boat) {
      const who = document.createElement('b')
      who.textContent = boat.name
      who.style.setProperty('--sail', COLORS[boat.color])
      li.append(who)
    } else li.className = 'news'
    li.append(text)
    const lines = $('#lines')
    lines.append(li)
    while (lines.childElementCount > 6) lines.firstElementChild.remove()
    setTimeout(() => li.remove(), 14000)
  }

  toast(text) {
    const box = $('#toast')
    box.textContent = text
    box.classList.remove('up')
    void box.offsetWidth // starts the animation anew
    box.classList.add('up')
  }

  /** At every frame; the slow parts about six times a second. */
  update(mode, dt) {
    const me = mode.me
    set($('#points'), String(me.score))
    const combo = $('#combo')
    set(combo, me.combo > 1 ? '×' + me.combo : '')
    combo.style.setProperty('--left', String(Math.max(0, me.comboLeft / 5)))
    const seconds = Math.ceil(mode.kind === 'solo' ? mode.left : mode.left / 1000)
    set($('#clock'), Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0'))
    $('#clock').classList.toggle('late', seconds <= 10)
    $('#gust').style.setProperty('--full', String(1 - me.rest / GUST_WAIT))
    $('#gust').classList.toggle('ready', me.rest === 0)
    if ((this.crewIn -= dt) > 0) return
    this.crewIn = 0.16
    this.chart.draw(mode.world, me)
    this.crew(mode)
    this.link(mode)
  }

  crew(mode) {
    const all = [...mode.world.boats.values()].filter((b) => !b.ghost).sort((a, b) => b.score - a.score || a.id - b.id)
    const mine = all.indexOf(mode.me)
    const top = all.slice(0, 7)
    if (mine >= 7) top[6] = mode.me
    const text = top.map((b) => b.id + b.name + b.score).join()
    if (text === this.crewText) return
    this.crewText = text
    $('#crew').replaceChildren(...top.map((b) => crewRow(b, all.indexOf(b) + 1, b === mode.me)))
  }

  link(mode) {
    const pill = $('#link')
    if (mode.kind === 'solo') return
    const word = { connecting: 'connecting', sailing: 'connected', waiting: 'lost, trying again', ended: 'not connected' }[mode.state]
    pill.className = 'pill ' + mode.state
    set(pill.querySelector('b'), mode.harbour.name)
    set(pill.querySelector('span'), mode.state === 'sailing' ? mode.hosting ? 'you are the host' : `${mode.ping < 9.95 ? mode.ping.toFixed(1) : Math.round(mode.ping)} ms` : word)
  }

  /** The notice over a connection that is not there. */
  lost(mode) {
    const box = $('#lost')
    const session = mode?.kind === 'session'
    const show = (session || mode?.kind === 'online') && mode.state !== 'sailing'
    box.hidden = !show
    if (!show) return
    const left = Math.max(1, Math.ceil((mode.retryAt - performance.now()) / 1000))
    const text = { connecting: `To ${mode.harbour.name}…`, waiting: session ? 'Reconnecting…' : `${mode.why}. Trying again in ${left} s`, ended: mode.why }[mode.state]
    set(box.querySelector('b'), text)
    box.querySelector('.again').hidden = mode.state === 'connecting' || (session && mode.state === 'waiting')
    set(box.querySelector('p'), mode.error)
  }

  /** The result of a round or a run. */
  board(title, rows, note, again) {
    const box = $('#board')
    box.hidden = false
    box.classList.toggle('brief', !again)
    box.querySelector('b').textContent = title
    box.querySelector('ol').replaceChildren(...rows.map((r, n) => crewRow(r, n + 1, r.me)))
    box.querySelector('p').textContent = note
    box.querySelector('.plate > div').hidden = !again
    clearTimeout(this.boardTimer)
    // A moment later: the space bar may still be asking for a gust.
    if (again) this.boardTimer = setTimeout(() => box.querySelector('.again').focus(), 1200)
    else this.boardTimer = setTimeout(() => this.hideBoard(), 7000)
  }
  hideBoard() {
    clearTimeout(this.boardTimer)
    $('#board').hidden = true
  }
}

function crewRow(b, place, mine) {
  const li = document.createElement('li')
  li.className = mine ? 'me' : ''
  li.innerHTML = '<i></i><u></u><span></span><b></b>'
  li.children[0].textContent = String(place)
  li.children[1].style.background = COLORS[b.color]
  li.children[2].textContent = b.name
  li.children[3].textContent = String(b.score)
  return li
}

function set(element, text) {
  if (element.textContent !== text) element.textContent = text
}
