/** The sea, its islands, buoys and boats, and how a boat sails. Units: about one pixel at 1280x720. */

export const SIZE = 4000
export const COLORS = ['#e8553a', '#f3b33d', '#f4ead2', '#58b58a', '#5fb7e5', '#8f6fc4', '#ef8fae', '#24394d']
const TOP_SPEED = 215
const GUST_SPEED = 350
export const GUST_TIME = 1.1
export const GUST_WAIT = 5
export const COMBO_TIME = 5
export const TAKE = 46

/** Numbers in [0, 1) that are the same for the same seed. */
export function seeded(seed) {
  let a = seed >>> 0
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), a | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export const clamp = (v, low, high) => Math.min(high, Math.max(low, v))
/** The way from one angle to another, in (-pi, pi]. */
export const turnTo = (from, to) => Math.atan2(Math.sin(to - from), Math.cos(to - from))

/** An island as the server describes it, with its outline worked out. */
export class Island {
  constructor({ x, y, r, seed }) {
    Object.assign(this, { x, y, r, seed })
    const rnd = seeded(seed)
    this.waves = [[2, 0.12], [3, 0.08], [5, 0.045]].map(([n, a]) => ({ n, a, p: rnd() * 6.283 }))
    this.outline = new Path2D()
    const steps = 72
    for (let i = 0; i < steps; i++) {
      const t = (i / steps) * 2 * Math.PI
      const d = this.reach(t)
      this.outline.lineTo(Math.cos(t) * d, Math.sin(t) * d)
    }
    this.outline.closePath()
  }
  /** Distance from the middle to the shore in a direction; at most 1.25 r. */
  reach(angle) {
    let f = 1
    for (const w of this.waves) f += w.a * Math.sin(w.n * angle + w.p)
    return this.r * f
  }
}

let wakes = 0

export class Boat {
  constructor({ id, name, color = 0, score = 0, bot = false, x = 0, y = 0, h = 0 }) {
    Object.assign(this, { id, name, color, score, bot, x, y, h })
    this.v = 0
    this.gust = 0 // seconds left of a gust
    this.rest = 0 // seconds until the next one
    this.combo = 0
    this.comboLeft = 0
    this.lean = 0
    this.bubble = null // {text | heart, left}
    this.wake = [] // {x, y, h, v, age}
    this.wakeIn = (wakes++ % 5) / 50
    this.track = [] // of a remote boat: {t, x, y, h, v}
    this.ghost = false
    this.shown = true
  }
}

export class World {
  constructor(islands, size = SIZE) {
    this.size = size
    this.islands = islands.map((i) => new Island(i))
    /** @type {Map<number, {id: number, x: number, y: number, gold: boolean, age: number}>} */
    this.buoys = new Map()
    /** @type {Map<number, Boat>} */
    this.boats = new Map()
    this.wind = -0.6
    this.effects = [] // {kind, x, y, age, life, ...}
  }
  addBuoy(b) { this.buoys.set(b.id, { id: b.id, x: b.x, y: b.y, gold: !!b.gold, age: 0 }) }

  /** Ages what only the eye sees: wakes, bubbles, effects. */
  age(dt) {
    for (const b of this.buoys.values()) b.age += dt
    for (const boat of this.boats.values()) ageBoat(boat, dt)
    for (const e of this.effects) e.age += dt
    this.effects = this.effects.filter((e) => e.age < e.life)
  }
  clear(x, y, room) {
    return this.islands.every((i) => Math.hypot(i.x - x, i.y - y) > i.r * 1.3 + room)
  }
}

function ageBoat(boat, dt) {
  if (boat.bubble && (boat.bubble.left -= dt) < 0) boat.bubble = null
  boat.comboLeft -= dt
  if (boat.comboLeft < 0) boat.combo = 0
  for (const w of boat.wake) w.age += dt
  while (boat.wake.length && boat.wake[0].age > 3.4) boat.wake.shift()
  if ((boat.wakeIn -= dt) > 0) return
  boat.wakeIn = 0.1
  const last = boat.wake[boat.wake.length - 1]
  if (last && Math.hypot(last.x - boat.x, last.y - boat.y) > 160) boat.wake.length = 0
  const sternX = boat.x - Math.cos(boat.h) * 20
  const sternY = boat.y - Math.sin(boat.h) * 20
  boat.wake.push({ x: sternX, y: sternY, h: boat.h, v: boat.v, age: 0 })
}

/** How well the wind carries a boat: 1 before it, 0.68 against it. */
export function windFactor(h, wind) { return 0.84 + 0.16 * Math.cos(h - wind) }

/**
 * Sails a boat by dt.
 * @param {Boat} boat
 * @param {{turn: number, aim: number | null, thrust: number, gust: boolean}} helm
 * @returns {{bumped: boolean, gusted: boolean}}
 */
export function sail(boat, helm, dt, world) {
  const did = { bumped: false, gusted: false }
  boat.rest = Math.max(0, boat.rest - dt)
  boat.gust = Math.max(0, boat.gust - dt)
  if (helm.gust && boat.rest === 0) {
    boat.gust = GUST_TIME
    boat.rest = GUST_WAIT
    did.gusted = true
  }
  const turn = helm.aim === null ? helm.turn : clamp(turnTo(boat.h, helm.aim) * 2.6, -1, 1)
  const grip = 0.4 + 0.6 * Math.min(1, boat.v / TOP_SPEED)
  boat.h += turn * 2.7 * grip * dt
  boat.lean += (turn * grip - boat.lean) * Math.min(1, 6 * dt)
  const top = boat.gust > 0 ? GUST_SPEED : TOP_SPEED * windFactor(boat.h, world.wind) * helm.thrust
  boat.v += (top - boat.v) * Math.min(1, (boat.gust > 0 ? 5 : 1.3) * dt)
  boat.x += Math.cos(boat.h) * boat.v * dt
  boat.y += Math.sin(boat.h) * boat.v * dt
  did.bumped = keepAfloat(boat, world)
  return did
}

/** Pushes the boat off shores, the edge of the sea and other boats; true at a hard bump. */
function keepAfloat(boat, world) {
  let bumped = false
  for (const i of world.islands) {
    const dx = boat.x - i.x
    const dy = boat.y - i.y
    const d = Math.hypot(dx, dy) || 1
    const shore = i.reach(Math.atan2(dy, dx)) + 16
    if (d >= shore) continue
    boat.x = i.x + (dx / d) * shore
    boat.y = i.y + (dy / d) * shore
    bumped ||= boat.v > 110
    boat.v *= 0.9
  }
  const edge = world.size - 24
  if (boat.x < 24 || boat.y < 24 || boat.x > edge || boat.y > edge) {
    boat.x = clamp(boat.x, 24, edge)
    boat.y = clamp(boat.y, 24, edge)
    boat.v *= 0.94
  }
  for (const other of world.boats.values()) {
    if (other === boat || other.ghost || !other.shown) continue
    const dx = boat.x - other.x
    const dy = boat.y - other.y
    const d = Math.hypot(dx, dy)
    if (d > 44 || d === 0) continue
    boat.x += (dx / d) * (44 - d) * 0.6
    boat.y += (dy / d) * (44 - d) * 0.6
    bumped ||= boat.v > 150
    boat.v *= 0.97
  }
  return bumped
}

/** The points and the show of taking a buoy. */
export function takeEffects(world, boat, buoy, points) {
  world.effects.push({ kind: 'rings', x: buoy.x, y: buoy.y, age: 0, life: 0.9, color: buoy.gold ? '#ffd76a' : '#ffffff' })
  world.effects.push({ kind: 'drops', x: buoy.x, y: buoy.y, age: 0, life: 0.7, seed: buoy.id, color: buoy.gold ? '#ffd76a' : '#e9fbf6' })
  world.effects.push({ kind: 'points', x: buoy.x, y: buoy.y - 20, age: 0, life: 1.3, text: '+' + points, color: points >= 5 ? '#ffd76a' : '#fff6e2', big: points >= 5 })
}
