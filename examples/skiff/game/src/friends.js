/** Playing among friends without a server: the two entries of the board, and the lobby before a race. */

import { sessionsMissing } from './session.js'

const $ = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector))

/** "Host a race here" and "Join a friend", below the harbours. */
export class Friends {
  /** @param {{host(): void, friend(address: string, code: string): void, leave(): void}} on */
  constructor(on) {
    this.missing = sessionsMissing()
    this.address = /** @type {HTMLInputElement} */ ($('#address'))
    this.code = /** @type {HTMLInputElement} */ ($('#code'))
    $('#host').onclick = () => (this.mode?.hosting ? on.leave() : on.host())
    $('#friend').onsubmit = (e) => {
      e.preventDefault()
      if (this.mode && !this.mode.hosting) return on.leave()
      const address = this.address.value.trim()
      if (!address) return this.address.focus()
      on.friend(address, this.code.value.trim())
    }
    for (const part of document.querySelectorAll('#host, #friend input, #friend button')) part.disabled = !!this.missing
    this.show(null)
  }

  /** @param {any} mode the sea behind the board */
  show(mode) {
    this.mode = mode?.kind === 'session' ? mode : null
    const hosts = this.mode?.hosting
    const joined = this.mode && !hosts
    $('#host').textContent = hosts ? 'Leave' : 'Host'
    $('#friend button').textContent = joined ? 'Leave' : 'Join'
    $('#host-note').textContent = this.missing || (hosts ? wayTo(this.mode.s) : 'this computer is the harbour, friends come to it')
    $('#friend-note').textContent = this.missing || (joined ? 'You are in this race' : 'with the address and code that the host sees')
    $('#friend .fields').hidden = !!this.missing || !!this.mode
  }
}

/** How others come to a host. */
function wayTo(s) {
  const at = s.hostAddresses.length ? s.hostAddresses.join(' or ') : `localhost:${s.hostPort}, this computer only`
  return `Code ${s.joinCode} at ${at}`
}

/** Who waits for the start, and how others come in. */
export class Lobby {
  /** @param {{start(): void, leave(): void}} on */
  constructor(on) {
    this.root = $('#lobby')
    for (const name of ['start', 'leave']) {
      const button = this.root.querySelector('.' + name)
      button.onclick = () => {
        button.blur() // the space bar is a gust
        on[name]()
      }
    }
  }

  /** @param {any} mode at every frame */
  update(mode) {
    const shown = mode?.kind === 'session' && mode.state === 'sailing' && !!mode.world && !mode.racing
    this.root.hidden = !shown
    $('#hud').classList.toggle('lobby', mode?.kind === 'session' && !mode.racing)
    if (!shown) return
    const { hosting, s, crew } = mode
    const boats = crew.size === 1 ? 'One boat is' : crew.size + ' boats are'
    set(this.root.querySelector('b'), hosting ? 'Join code ' + s.joinCode : `The harbour of ${mode.sailor(1).name}`)
    set(this.root.querySelector('.way'), hosting ? wayTo(s).replace(/^Code \S+ /, '') : 'The race begins when the host starts it')
    set(this.root.querySelector('.say'), boats + ' here')
    this.root.querySelector('.start').hidden = !hosting
    this.root.querySelector('.start').disabled = !mode.race?.canStart
  }
}

function set(element, text) {
  if (element.textContent !== text) element.textContent = text
}
