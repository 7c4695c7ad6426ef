/** The seas that need no server: the one behind the menu, and the run alone against your own ghost. */

import { Boat, COMBO_TIME, SIZE, TAKE, World, clamp, sail, seeded, takeEffects, turnTo } from './world.js'

export const RUN = 90 // seconds of a run alone
const NAMES = ['Marlow', 'Pip', 'Tansy', 'Wren', 'Juno', 'Finn', 'Dory']

export function makeWorld(seed) {
  const rnd = seeded(seed)
  const islands = []
  const world = new World([])
  for (let n = 0; n < 300 && islands.length < 13; n++) {
    const r = 90 + 150 * rnd() * rnd() + 30 * rnd()
    const room = r * 1.3 + 130
    const one = { r, seed: (rnd() * 4294967296) >>> 0, x: room + rnd() * (SIZE - 2 * room), y: room + rnd() * (SIZE - 2 * room) }
    if (islands.every((i) => Math.hypot(i.x - one.x, i.y - one.y) > (i.r + r) * 1.3 + 190)) islands.push(one)
  }
  world.islands = new World(islands).islands
  return { world, rnd }
}

export function openWater(world, rnd, room, border = 120) {
  for (let n = 0; n < 200; n++) {
    const x = border + rnd() * (SIZE - 2 * border)
    const y = border + rnd() * (SIZE - 2 * border)
    if (world.clear(x, y, room)) return { x, y }
  }
  return { x: SIZE / 2, y: 120 }
}

export function windAt(t) { return -0.6 + 0.9 * Math.sin(t / 47) + 0.5 * Math.sin(t / 19 + 1) }

/** Takes the buoys a boat touches; the next one comes from the sea's own row of numbers. */
export function takeBuoys(sea, boat, onTake) {
  for (const buoy of sea.world.buoys.values()) {
    if (Math.hypot(buoy.x - boat.x, buoy.y - boat.y) > TAKE) continue
    boat.combo = Math.min(5, boat.combo + 1)
    boat.comboLeft = COMBO_TIME
    const points = boat.combo * (buoy.gold ? 5 : 1)
    boat.score += points
    sea.world.buoys.delete(buoy.id)
    sea.dropBuoy()
    onTake(buoy, points)
  }
}

class Sea {
  constructor(seed) {
    Object.assign(this, makeWorld(seed))
    this.nextBuoy = 1
    this.time = 0
    for (let n = 0; n < 44; n++) this.dropBuoy()
  }
  dropBuoy() {
    const at = openWater(this.world, this.rnd, 40)
    this.world.addBuoy({ id: this.nextBuoy++, ...at, gold: this.rnd() < 0.14 })
  }
  advance(dt) {
    this.time += dt
    this.world.wind = windAt(this.time)
    this.world.age(dt)
  }
}

/** The sea behind the menu: boats that sail by themselves. */
export class Attract extends Sea {
  constructor() {
    super(71)
    this.kind = 'attract'
    const start = openWater(this.world, this.rnd, 200, 1300)
    this.eye = null
    for (let n = 0; n < 7; n++) {
      const boat = new Boat({ id: n + 1, name: NAMES[n], color: (n * 3) % 8, x: start.x + (this.rnd() - 0.5) * 420, y: start.y + (this.rnd() - 0.5) * 420, h: this.rnd() * 6.28 })
      boat.v = 150
      boat.pace = n ? 0.74 + 0.2 * this.rnd() : 0.7
      this.world.boats.set(boat.id, boat)
    }
    this.eye = this.world.boats.get(1)
    for (let n = 0; n < 300; n++) this.update(0.05) // wakes are there when the curtain rises
  }
  update(dt) {
    this.advance(dt)
    for (const boat of this.world.boats.values()) {
      sail(boat, this.helm(boat, dt), dt, this.world)
      takeBuoys(this, boat, (buoy, points) => takeEffects(this.world, boat, buoy, points))
    }
  }
  helm(boat, dt) {
    boat.patience = (boat.patience ?? 0) - dt
    if (boat.patience < 0 || !this.world.buoys.has(boat.goal)) {
      boat.goal = this.nearest(boat)
      boat.patience = 12
    }
    const goal = this.astray(boat) ?? this.world.buoys.get(boat.goal)
    let dx = goal.x - boat.x
    let dy = goal.y - boat.y
    const l = Math.hypot(dx, dy) || 1
    dx /= l
    dy /= l
    for (const i of this.world.islands) {
      const ax = boat.x - i.x
      const ay = boat.y - i.y
      const d = Math.hypot(ax, ay)
      const gap = d - i.r * 1.25
      if (gap > 140) continue
      const push = 1.6 * (1 - Math.max(gap, 0) / 140)
      const side = Math.cos(boat.h) * -ay + Math.sin(boat.h) * ax < 0 ? -1 : 1
      dx += (ax / d) * push - (ay / d) * push * side
      dy += (ay / d) * push + (ax / d) * push * side
    }
    const aim = Math.atan2(dy, dx)
    return { turn: 0, aim, thrust: boat.pace * (1 - 0.35 * clamp(Math.abs(turnTo(boat.h, aim)), 0, 1)), gust: false }
  }
  /** A place near the first boat for one that lost the flock. */
  astray(boat) {
    const eye = this.eye
    if (boat === eye || Math.hypot(boat.x - eye.x, boat.y - eye.y) < 300) return null
    return { x: eye.x + 170 * Math.cos(boat.id * 2.4), y: eye.y + 170 * Math.sin(boat.id * 2.4) }
  }
  nearest(boat) {
    let best = this.world.buoys.keys().next().value
    let least = Infinity
    for (const b of this.world.buoys.values()) {
      const edge = Math.min(b.x, b.y, SIZE - b.x, SIZE - b.y)
      const d = Math.hypot(b.x - boat.x, b.y - boat.y) + (edge < 900 ? 3000 : 0) + 300 * this.rnd()
      if (d < least) [best, least] = [b.id, d]
    }
    return best
  }
}

/** Ninety seconds alone. The clock starts with the boat; the best run so far sails along. */
export class Solo extends Sea {
  /**
   * @param {{name: string, color: number}} player
   * @param {import('./store.js').Ghost | undefined} ghost
   * @param {{take(points: number, combo: number, gold: boolean): void, bump(): void, gust(): void, over(score: number, path: Uint16Array): void}} on
   */
  constructor(player, ghost, on) {
    super(2024)
    this.kind = 'solo'
    this.on = on
    const start = openWater(this.world, this.rnd, 120, 1400)
    this.me = new Boat({ id: 1, name: player.name, color: player.color, ...start, h: -0.6 })
    this.world.boats.set(1, this.me)
    this.eye = this.me
    this.left = RUN
    this.running = false
    this.done = false
    this.path = []
    this.ghost = ghost
    if (!ghost) return
    this.shadow = new Boat({ id: 2, name: 'Your best: ' + ghost.score, color: player.color, ...start, h: -0.6 })
    this.shadow.ghost = true
    this.world.boats.set(2, this.shadow)
  }
  update(dt, helm) {
    this.advance(dt)
    if (this.done) helm = { turn: 0, aim: null, thrust: 0, gust: false }
    this.running ||= helm.thrust > 0.55 || helm.aim !== null || helm.turn !== 0
    if (!this.running) helm = { ...helm, thrust: 0, gust: false }
    const did = sail(this.me, helm, dt, this.world)
    if (did.bumped) this.on.bump()
    if (did.gusted) this.on.gust()
    if (!this.running || this.done) return
    this.left = Math.max(0, this.left - dt)
    takeBuoys(this, this.me, (buoy, points) => {
      takeEffects(this.world, this.me, buoy, points)
      this.on.take(points, this.me.combo, buoy.gold)
    })
    this.record()
    this.haunt(dt)
    if (this.left > 0) return
    this.done = true
    this.on.over(this.me.score, Uint16Array.from(this.path))
  }
  record() {
    const samples = Math.floor((RUN - this.left) * 10)
    while (this.path.length < samples * 3) {
      const turn = (this.me.h / (2 * Math.PI)) % 1
      this.path.push(this.me.x * 16, this.me.y * 16, (turn < 0 ? turn + 1 : turn) * 65535)
    }
  }
  haunt(dt) {
    if (!this.shadow) return
    const path = this.ghost.path
    const at = (RUN - this.left) * 10
    const k = Math.min(Math.floor(at), path.length / 3 - 2) * 3
    const f = clamp(at - k / 3, 0, 1)
    const x = (path[k] + (path[k + 3] - path[k]) * f) / 16
    const y = (path[k + 1] + (path[k + 4] - path[k + 1]) * f) / 16
    this.shadow.v = Math.hypot(x - this.shadow.x, y - this.shadow.y) / Math.max(dt, 0.001)
    this.shadow.x = x
    this.shadow.y = y
    const from = (path[k + 2] / 65535) * 2 * Math.PI
    this.shadow.h = from + turnTo(from, (path[k + 5] / 65535) * 2 * Math.PI) * f
  }
  end() {}
}
