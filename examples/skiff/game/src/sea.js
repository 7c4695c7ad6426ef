/** Draws a world: water, shallows, wakes, boats, and the words over them. */

import { paintBoat, paintBuoy, paintGulls, paintIsland, paintWake } from './paint.js'
import { COLORS, seeded } from './world.js'

const TILE = 512
const SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, Cantarell, "Noto Sans", "DejaVu Sans", sans-serif'
const SERIF = '"Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", P052, Georgia, serif'

export class SeaView {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas
    this.c = canvas.getContext('2d', { alpha: false })
    this.x = this.y = 0 // the middle of the view, in sea units
    this.time = 0
    this.detail = 1 // below 1 the picture is drawn with fewer pixels and without trimmings
    this.images = new Map()
    this.slow = 0
    this.resize()
  }

  resize() {
    const w = Math.max(1, this.canvas.clientWidth)
    const h = Math.max(1, this.canvas.clientHeight)
    const dpr = Math.min(2, globalThis.devicePixelRatio || 1) * this.detail
    this.scale = 1.2 * Math.sqrt((w * h) / (1280 * 720)) // every window sees the same area of sea
    this.width = w
    this.height = h
    this.density = this.scale * dpr
    this.canvas.width = Math.round(w * dpr)
    this.canvas.height = Math.round(h * dpr)
    this.dpr = dpr
    this.images.clear()
    this.tile = paintWater(Math.round(TILE * this.density), this.density)
  }

  /** Moves the view towards a boat, a little ahead of it; offset is in parts of the view. */
  follow(boat, dt, offset = { x: 0, y: 0 }) {
    const x = boat.x + Math.cos(boat.h) * boat.v * 0.42 - (offset.x * this.width) / this.scale
    const y = boat.y + Math.sin(boat.h) * boat.v * 0.42 - (offset.y * this.height) / this.scale
    const far = Math.hypot(x - this.x, y - this.y) > 1500
    const f = far ? 1 : 1 - Math.exp(-dt * 2.6)
    this.x += (x - this.x) * f
    this.y += (y - this.y) * f
  }

  toSea(clientX, clientY) {
    return { x: this.x + (clientX - this.width / 2) / this.scale, y: this.y + (clientY - this.height / 2) / this.scale }
  }

  /** Where machines are slow, fewer pixels keep the picture moving. */
  pace(ms) {
    if (this.time < 4) return // starting is slow everywhere
    this.slow = ms > 30 ? this.slow + 1 : Math.max(0, this.slow - 0.5)
    if (this.slow < 90 || this.detail < 0.8) return
    this.slow = 0
    this.detail -= 0.125
    this.resize()
  }

  /** @param {import('./world.js').World} world @param {import('./world.js').Boat} [me] the player's own boat */
  draw(world, dt, me) {
    this.time += dt
    const c = this.c
    const view = { w: this.width / this.scale, h: this.height / this.scale }
    view.x = this.x - view.w / 2
    view.y = this.y - view.h / 2
    this.water(view, world.wind)
    c.setTransform(this.density, 0, 0, this.density, -view.x * this.density, -view.y * this.density)
    this.crests(view, world)
    this.edge(view, world.size)
    for (const i of world.islands) this.island(i, view)
    for (const b of world.boats.values()) if (b.shown) paintWake(c, b)
    for (const b of world.buoys.values()) if (inView(view, b, 60)) paintBuoy(c, b, this.time)
    const boats = [...world.boats.values()].filter((b) => b.shown && inView(view, b, 120)).sort((a, b) => a.y - b.y)
    for (const b of boats) paintBoat(c, b, world.wind, this.time)
    for (const e of world.effects) this.effect(e)
    if (this.detail > 0.8) paintGulls(c, view, this.time)
    for (const b of boats) this.words(b, !!me)
    if (me) this.pointer(world, me, view)
  }

  water(view, wind) {
    const c = this.c
    c.setTransform(1, 0, 0, 1, 0, 0)
    const size = this.tile.width
    const drift = this.time * 5
    const ox = mod(Math.round((view.x - Math.cos(wind) * drift) * this.density), size)
    const oy = mod(Math.round((view.y - Math.sin(wind) * drift) * this.density), size)
    for (let y = -oy; y < this.canvas.height; y += size) {
      for (let x = -ox; x < this.canvas.width; x += size) c.drawImage(this.tile, x, y)
    }
  }

  /** Short crests that rise, run before the wind and die; each cell of a grid has its own. */
  crests(view, world) {
    const c = this.c
    const cell = 84
    const cos = Math.cos(world.wind)
    const sin = Math.sin(world.wind)
    const levels = [[], [], []]
    const t = this.time * 0.2
    for (let gy = Math.floor(view.y / cell) - 1; gy * cell < view.y + view.h; gy++) {
      for (let gx = Math.floor(view.x / cell) - 1; gx * cell < view.x + view.w; gx++) {
        const k = Math.imul(gx, 374761393) ^ Math.imul(gy, 668265263)
        const a = ((Math.imul(k ^ (k >>> 13), 1274126177) >>> 0) % 4096) / 4096
        const life = t + a
        const n = Math.floor(life)
        const p = life - n
        const b = (a * 13.7 + n * 0.618) % 1
        const e = (a * 7.3 + n * 0.381) % 1
        const strength = Math.sin(p * Math.PI) * (0.45 + 0.55 * e)
        const level = Math.min(2, Math.floor(strength * 3.2))
        levels[level].push(gx * cell + b * cell + cos * p * 34, gy * cell + e * cell + sin * p * 34, (6 + 11 * b) * (0.5 + strength * 0.6))
      }
    }
    c.fillStyle = '#c8efe6'
    levels.forEach((list, level) => {
      c.globalAlpha = [0.1, 0.2, 0.34][level]
      c.beginPath()
      for (let n = 0; n < list.length; n += 3) {
        const x = list[n]
        const y = list[n + 1]
        const l = list[n + 2]
        const ax = x - sin * l - cos * l * 0.4
        const ay = y + cos * l - sin * l * 0.4
        const bend = l * 0.5
        const belly = bend + 2.4 + l * 0.16
        c.moveTo(ax, ay)
        c.quadraticCurveTo(x + cos * belly, y + sin * belly, x + sin * l - cos * l * 0.4, y - cos * l - sin * l * 0.4)
        c.quadraticCurveTo(x + cos * bend * 0.6, y + sin * bend * 0.6, ax, ay)
      }
      c.fill()
    })
    c.globalAlpha = 1
  }

  /** A rope of floats around the sea, deep water behind it. */
  edge(view, size) {
    if (view.x > 0 && view.y > 0 && view.x + view.w < size && view.y + view.h < size) return
    const c = this.c
    c.fillStyle = 'rgba(6,40,62,.5)'
    c.beginPath()
    c.rect(view.x - 10, view.y - 10, view.w + 20, view.h + 20)
    c.rect(0, 0, size, size)
    c.fill('evenodd')
    c.strokeStyle = 'rgba(255,246,226,.5)'
    c.lineWidth = 2
    c.strokeRect(0, 0, size, size)
    c.strokeStyle = '#f3b33d'
    c.lineWidth = 12
    c.lineCap = 'round'
    c.setLineDash([0.1, 62])
    c.strokeRect(0, 0, size, size)
    c.setLineDash([])
  }

  island(i, view) {
    if (!inView(view, i, i.r * 2)) return
    const c = this.c
    let image = this.images.get(i)
    if (!image) {
      if (this.images.size > 7) this.images.delete(this.images.keys().next().value)
      image = paintIsland(i, Math.min(this.density, 1.6))
      this.images.set(i, image)
    }
    for (let n = 0; n < 2; n++) {
      const p = (this.time * 0.16 + n * 0.5 + (i.seed % 7) / 7) % 1
      const s = 1.17 - 0.16 * p
      c.save()
      c.translate(i.x, i.y)
      c.scale(s, s)
      c.globalAlpha = Math.sin(p * Math.PI) * 0.5
      c.strokeStyle = '#e9fbf4'
      c.lineWidth = 1.5 + 3 * p
      c.stroke(i.outline)
      c.restore()
    }
    c.drawImage(image.canvas, i.x - image.half, i.y - image.half, image.half * 2, image.half * 2)
    c.save()
    c.translate(i.x, i.y)
    const lap = 1.01 + 0.012 * Math.sin(this.time * 1.4 + i.seed)
    c.scale(lap, lap)
    c.globalAlpha = 0.75
    c.strokeStyle = '#f4fffa'
    c.lineWidth = 2.5
    c.stroke(i.outline)
    c.restore()
    c.globalAlpha = 1
  }

  effect(e) {
    const c = this.c
    const p = e.age / e.life
    c.globalAlpha = 1 - p * p
    if (e.kind === 'rings') {
      c.strokeStyle = e.color
      for (const delay of [0, 0.18]) {
        const q = Math.max(0, p - delay)
        c.lineWidth = 4 * (1 - q)
        c.beginPath()
        c.ellipse(e.x, e.y, 12 + q * 58, 9 + q * 44, 0, 0, 7)
        c.stroke()
      }
    } else if (e.kind === 'drops') {
      const rnd = seeded(e.seed)
      c.fillStyle = e.color
      for (let n = 0; n < 12; n++) {
        const a = rnd() * 6.283
        const d = (16 + 40 * rnd()) * Math.sqrt(p)
        c.beginPath()
        c.arc(e.x + Math.cos(a) * d, e.y + Math.sin(a) * d * 0.7 - Math.sin(p * Math.PI) * 26 * rnd(), 3.4 * (1 - p) + 0.4, 0, 7)
        c.fill()
      }
    } else if (e.kind === 'points') {
      const grow = Math.min(1, p * 7)
      c.font = `italic 700 ${(e.big ? 34 : 25) * (0.6 + 0.4 * grow)}px ${SERIF}`
      c.textAlign = 'center'
      c.lineWidth = 5
      c.lineJoin = 'round'
      c.strokeStyle = 'rgba(9,45,60,.85)'
      c.strokeText(e.text, e.x, e.y - p * 46)
      c.fillStyle = e.color
      c.fillText(e.text, e.x, e.y - p * 46)
    } else if (e.kind === 'horn') {
      c.strokeStyle = '#fff6e2'
      c.lineWidth = 3 * (1 - p)
      for (const delay of [0, 0.16, 0.32]) {
        c.beginPath()
        c.arc(e.boat.x, e.boat.y, 20 + Math.max(0, p - delay) * 90, 0, 7)
        c.stroke()
      }
    }
    c.globalAlpha = 1
  }

  /** Where no buoy is in sight, a mark beside the boat points to the nearest one. */
  pointer(world, me, view) {
    let best = null
    let least = Infinity
    for (const b of world.buoys.values()) {
      if (inView(view, b, -20)) return
      const d = Math.hypot(b.x - me.x, b.y - me.y)
      if (d < least) [best, least] = [b, d]
    }
    if (!best) return
    const c = this.c
    c.save()
    c.translate(me.x, me.y)
    c.rotate(Math.atan2(best.y - me.y, best.x - me.x))
    c.translate(74 + 4 * Math.sin(this.time * 4), 0)
    c.fillStyle = best.gold ? '#f5b82e' : '#fff6e2'
    c.strokeStyle = 'rgba(8,52,70,.7)'
    c.lineWidth = 3
    c.lineJoin = 'round'
    c.beginPath()
    c.moveTo(11, 0)
    c.lineTo(-6, 9)
    c.lineTo(-2, 0)
    c.lineTo(-6, -9)
    c.closePath()
    c.stroke()
    c.fill()
    c.restore()
  }

  words(b, labels) {
    const c = this.c
    c.textAlign = 'center'
    if (labels) {
      c.font = `600 13px ${SANS}`
      c.lineWidth = 3.5
      c.lineJoin = 'round'
      c.globalAlpha = b.ghost ? 0.7 : 1
      c.strokeStyle = 'rgba(8,52,70,.75)'
      c.strokeText(b.name, b.x, b.y + 45)
      c.fillStyle = '#fffaf0'
      c.fillText(b.name, b.x, b.y + 45)
      c.globalAlpha = 1
    }
    if (b.bubble) this.bubble(b)
  }

  bubble(b) {
    const c = this.c
    const grow = Math.min(1, (b.bubble.life - b.bubble.left) * 9)
    c.save()
    c.translate(b.x, b.y - 42)
    c.scale(grow, grow)
    c.globalAlpha = Math.min(1, b.bubble.left * 3)
    c.font = `600 15px ${SANS}`
    const text = b.bubble.text.length > 34 ? b.bubble.text.slice(0, 33) + '…' : b.bubble.text
    const half = b.bubble.heart ? 18 : c.measureText(text).width / 2 + 13
    c.fillStyle = 'rgba(6,44,60,.3)'
    c.beginPath()
    c.roundRect(-half + 2, -27, half * 2, 32, 16)
    c.fill()
    c.fillStyle = '#fbf3de'
    c.beginPath()
    c.roundRect(-half, -30, half * 2, 32, 16)
    c.moveTo(-6, 1)
    c.lineTo(0, 10)
    c.lineTo(7, 1)
    c.fill()
    if (b.bubble.heart) {
      c.translate(0, -14)
      c.fillStyle = '#e4502f'
      c.beginPath()
      c.moveTo(0, 9)
      c.bezierCurveTo(-16, -2, -8, -13, 0, -5)
      c.bezierCurveTo(8, -13, 16, -2, 0, 9)
      c.fill()
    } else {
      c.fillStyle = '#173445'
      c.fillText(text, 0, -9)
    }
    c.restore()
  }
}

function inView(view, at, room) {
  return at.x > view.x - room && at.y > view.y - room && at.x < view.x + view.w + room && at.y < view.y + view.h + room
}

function mod(a, n) { return ((a % n) + n) % n }

/** A square of water whose edges meet. */
function paintWater(size, density) {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = size
  const c = canvas.getContext('2d', { alpha: false })
  c.fillStyle = '#0f6c83'
  c.fillRect(0, 0, size, size)
  const rnd = seeded(5)
  for (let n = 0; n < 26; n++) {
    const r = size * (0.1 + 0.2 * rnd())
    const color = n % 2 ? '9,84,112' : '31,140,152'
    wrapped(rnd() * size, rnd() * size, r, size, (x, y) => {
      const g = c.createRadialGradient(x, y, 0, x, y, r)
      g.addColorStop(0, `rgba(${color},.3)`)
      g.addColorStop(1, `rgba(${color},0)`)
      c.fillStyle = g
      c.fillRect(x - r, y - r, 2 * r, 2 * r)
    })
  }
  c.lineCap = 'round'
  for (let n = 0; n < 90; n++) {
    const l = (6 + 16 * rnd()) * density
    const tilt = 0.3 * (rnd() - 0.5)
    c.strokeStyle = rnd() < 0.5 ? 'rgba(160,226,220,.09)' : 'rgba(4,58,82,.16)'
    c.lineWidth = (1 + rnd() * 1.6) * density
    wrapped(rnd() * size, rnd() * size, l * 2, size, (x, y) => {
      c.beginPath()
      c.moveTo(x - l, y - tilt * l)
      c.quadraticCurveTo(x, y - l * 0.3, x + l, y + tilt * l)
      c.stroke()
    })
  }
  return canvas
}

function wrapped(x, y, r, size, draw) {
  for (const dx of [-size, 0, size]) {
    for (const dy of [-size, 0, size]) {
      if (x + dx + r > 0 && x + dx - r < size && y + dy + r > 0 && y + dy - r < size) draw(x + dx, y + dy)
    }
  }
}

/** The small chart in the corner: the islands once, boats and buoys at every call. */
export class Chart {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas
    this.world = null
  }
  draw(world, me) {
    const size = Math.round(this.canvas.clientWidth * Math.min(2, globalThis.devicePixelRatio || 1))
    if (!size) return
    if (this.world !== world || this.canvas.width !== size) this.base(world, size)
    const c = this.canvas.getContext('2d')
    const k = size / world.size
    c.setTransform(1, 0, 0, 1, 0, 0)
    c.drawImage(this.land, 0, 0)
    for (const b of world.buoys.values()) {
      c.fillStyle = b.gold ? '#d9930a' : '#d04a2c'
      const r = (b.gold ? 0.016 : 0.0105) * size
      c.fillRect(b.x * k - r / 2, b.y * k - r / 2, r, r)
    }
    for (const b of world.boats.values()) {
      if (!b.shown || b === me) continue
      c.fillStyle = COLORS[b.color]
      c.strokeStyle = '#173445'
      c.lineWidth = size / 170
      c.globalAlpha = b.ghost ? 0.5 : 1
      c.beginPath()
      c.arc(b.x * k, b.y * k, size * 0.017, 0, 7)
      c.fill()
      c.stroke()
    }
    c.globalAlpha = 1
    if (me) this.arrow(c, me, k, size)
    this.rose(c, world.wind, size)
  }
  base(world, size) {
    this.world = world
    this.canvas.width = this.canvas.height = size
    this.land = document.createElement('canvas')
    this.land.width = this.land.height = size
    const c = this.land.getContext('2d')
    const k = size / world.size
    c.fillStyle = '#dcebe4'
    c.fillRect(0, 0, size, size)
    c.strokeStyle = 'rgba(23,52,69,.12)'
    c.lineWidth = 1
    for (let n = 1; n < 5; n++) {
      c.strokeRect((size * n) / 5, -2, 0.01, size + 4)
      c.strokeRect(-2, (size * n) / 5, size + 4, 0.01)
    }
    for (const i of world.islands) {
      c.save()
      c.translate(i.x * k, i.y * k)
      c.scale(k, k)
      c.fillStyle = 'rgba(120,190,185,.35)'
      c.save()
      c.scale(1.3, 1.3)
      c.fill(i.outline)
      c.restore()
      c.fillStyle = '#ead9a8'
      c.fill(i.outline)
      c.strokeStyle = '#8a7a4e'
      c.lineWidth = 1.2 / k
      c.stroke(i.outline)
      c.restore()
    }
  }
  arrow(c, me, k, size) {
    c.save()
    c.translate(me.x * k, me.y * k)
    c.rotate(me.h)
    c.scale(size / 170, size / 170)
    c.fillStyle = '#173445'
    c.strokeStyle = '#fff'
    c.lineWidth = 1.5
    c.beginPath()
    c.moveTo(8, 0)
    c.lineTo(-5, 5)
    c.lineTo(-2.5, 0)
    c.lineTo(-5, -5)
    c.closePath()
    c.stroke()
    c.fill()
    c.restore()
  }
  rose(c, wind, size) {
    c.save()
    c.translate(size * 0.885, size * 0.115)
    c.scale(size / 170, size / 170)
    c.fillStyle = 'rgba(246,236,212,.95)'
    c.strokeStyle = '#173445'
    c.lineWidth = 1
    c.beginPath()
    c.arc(0, 0, 14, 0, 7)
    c.fill()
    c.stroke()
    c.rotate(wind)
    c.fillStyle = '#d04a2c'
    c.beginPath()
    c.moveTo(11, 0)
    c.lineTo(-7, 5.5)
    c.lineTo(-3.5, 0)
    c.lineTo(-7, -5.5)
    c.fill()
    c.restore()
  }
}
