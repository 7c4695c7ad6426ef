/** Keyboard, mouse, touch and gamepad as one helm. */

const STEER = {
  ArrowLeft: 'left', KeyA: 'left', ArrowRight: 'right', KeyD: 'right',
  ArrowUp: 'up', KeyW: 'up', ArrowDown: 'down', KeyS: 'down', Space: 'gust',
}

export class Input {
  /**
   * @param {HTMLElement} surface where the mouse and fingers steer
   * @param {(key: 'menu' | 'talk' | 'full' | 'sound' | 'emote' | 'up' | 'down' | 'press', k?: number) => void} command
   * @param {() => boolean} sailing keys steer only then
   */
  constructor(surface, command, sailing) {
    this.command = command
    this.sailing = sailing
    this.held = new Set()
    this.pointer = null // {x, y} in the window while held
    this.gust = false
    this.pad = { before: [], aim: null, push: 0 }
    addEventListener('keydown', (e) => this.keydown(e))
    addEventListener('keyup', (e) => this.held.delete(STEER[e.code]))
    addEventListener('blur', () => this.release())
    surface.addEventListener('pointerdown', (e) => {
      if (e.button !== 0 || this.pointer) return
      surface.setPointerCapture?.(e.pointerId)
      this.pointerId = e.pointerId
      this.pointer = { x: e.clientX, y: e.clientY }
      document.activeElement?.blur?.()
    })
    surface.addEventListener('pointermove', (e) => {
      if (this.pointer && e.pointerId === this.pointerId) this.pointer = { x: e.clientX, y: e.clientY }
    })
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      surface.addEventListener(end, (e) => { if (e.pointerId === this.pointerId) this.pointer = null })
    }
    surface.addEventListener('contextmenu', (e) => {
      e.preventDefault()
      this.gust = true // the right button is a gust
    })
  }

  release() {
    this.held.clear()
    this.pointer = null
  }

  keydown(e) {
    const typing = e.target instanceof HTMLInputElement
    if (e.code === 'Escape') return this.command('menu')
    if (typing || e.ctrlKey || e.metaKey || e.altKey) return
    if (e.code === 'KeyF' && !e.repeat) return this.command('full')
    if (e.code === 'KeyM' && !e.repeat) return this.command('sound')
    if (!this.sailing()) {
      if (e.code === 'ArrowUp' || e.code === 'ArrowDown') {
        e.preventDefault()
        this.command(e.code === 'ArrowUp' ? 'up' : 'down')
      }
      return
    }
    if (STEER[e.code]) {
      e.preventDefault()
      this.held.add(STEER[e.code])
      if (e.code === 'Space' && !e.repeat) this.gust = true
    } else if (e.code === 'Enter') {
      e.preventDefault()
      this.command('talk')
    } else if (/^Digit[1-4]$/.test(e.code) && !e.repeat) {
      this.command('emote', Number(e.code[5]) - 1)
    }
  }

  /** Reads the first gamepad; its buttons become commands when they go down. */
  poll() {
    const pad = [...(navigator.getGamepads?.() ?? [])].find((p) => p && p.connected)
    this.pad.aim = null
    if (!pad) return
    const [x = 0, y = 0] = pad.axes
    this.pad.push = Math.hypot(x, y)
    if (this.pad.push > 0.3) this.pad.aim = Math.atan2(y, x)
    const down = pad.buttons.map((b) => b.pressed)
    const pressed = (k) => down[k] && !this.pad.before[k]
    const sailing = this.sailing()
    if (pressed(9) || (pressed(1) && !sailing)) this.command('menu')
    if (pressed(0)) {
      if (sailing) this.gust = true
      else this.command('press')
    }
    if (pressed(2)) this.command('emote', 0)
    if (pressed(3)) this.command('emote', 1)
    if (!sailing && pressed(12)) this.command('up')
    if (!sailing && pressed(13)) this.command('down')
    this.pad.before = down
  }

  /**
   * What to do with the boat now.
   * @param {{x: number, y: number}} boat
   * @param {(x: number, y: number) => {x: number, y: number}} toSea
   */
  helm(boat, toSea) {
    const gust = this.gust
    this.gust = false
    if (this.pad.aim !== null) return { turn: 0, aim: this.pad.aim, thrust: Math.min(1, this.pad.push), gust }
    if (this.pointer) {
      const at = toSea(this.pointer.x, this.pointer.y)
      const far = Math.hypot(at.x - boat.x, at.y - boat.y)
      return { turn: 0, aim: far > 12 ? Math.atan2(at.y - boat.y, at.x - boat.x) : null, thrust: Math.min(1, far / 110), gust }
    }
    const turn = (this.held.has('right') ? 1 : 0) - (this.held.has('left') ? 1 : 0)
    const thrust = this.held.has('up') ? 1 : this.held.has('down') ? 0 : 0.5
    return { turn, aim: null, thrust, gust }
  }
}
