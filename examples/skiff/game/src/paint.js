/** Things drawn from above: islands, boats, buoys, gulls. The light comes from the upper left. */

import { COLORS, seeded } from './world.js'

/** Shallows, beach, grass and trees of one island as an image; density is in pixels per unit. */
export function paintIsland(island, density) {
  const half = island.r * 1.9
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = Math.ceil(half * 2 * density)
  const c = canvas.getContext('2d')
  c.scale(density, density)
  c.translate(half, half)
  const rnd = seeded(island.seed ^ 0x5eed)
  const layer = (scale, fill, alpha = 1) => {
    c.save()
    c.scale(scale, scale)
    c.globalAlpha = alpha
    c.fillStyle = fill
    c.fill(island.outline)
    c.restore()
  }
  for (let s = 1.5; s > 1.02; s -= 0.024) layer(s, '#4fc2b4', 0.034)
  c.save()
  c.translate(island.r * 0.03, island.r * 0.045)
  layer(1.035, '#0a4a5e', 0.28)
  c.restore()
  layer(1, '#e3c88f')
  layer(0.965, '#f3dfae')
  layer(0.8, '#c9c878')
  layer(0.765, '#87ad62')
  c.save()
  c.scale(0.765, 0.765)
  c.clip(island.outline)
  for (let n = 0; n < 14; n++) {
    const a = rnd() * 6.283
    const d = island.r * rnd()
    c.fillStyle = n % 2 ? 'rgba(110,152,80,.5)' : 'rgba(158,190,112,.45)'
    c.beginPath()
    c.ellipse(Math.cos(a) * d, Math.sin(a) * d, island.r * (0.12 + 0.16 * rnd()), island.r * (0.08 + 0.1 * rnd()), rnd() * 3, 0, 7)
    c.fill()
  }
  c.restore()
  pebbles(c, island, rnd)
  trees(c, island, rnd)
  if (island.r > 150) lighthouse(c)
  else hut(c, rnd)
  return { canvas, half }
}

function pebbles(c, island, rnd) {
  for (let n = 0; n < island.r / 9; n++) {
    const a = rnd() * 6.283
    const d = island.reach(a) * (0.84 + 0.24 * rnd())
    const r = 1.5 + rnd() * rnd() * 7
    c.fillStyle = 'rgba(20,50,60,.25)'
    c.beginPath()
    c.ellipse(Math.cos(a) * d + r * 0.4, Math.sin(a) * d + r * 0.5, r * 1.1, r * 0.9, 0, 0, 7)
    c.fill()
    c.fillStyle = rnd() < 0.5 ? '#a8a394' : '#8e8f88'
    c.beginPath()
    c.ellipse(Math.cos(a) * d, Math.sin(a) * d, r, r * 0.85, 0, 0, 7)
    c.fill()
  }
}

function trees(c, island, rnd) {
  const greens = ['#3f7d55', '#4b8c5b', '#5d9a5f', '#357050']
  const grove = []
  const groves = [0, 1, 2].map(() => ({ a: rnd() * 6.283, d: 0.2 + 0.35 * rnd() }))
  for (let n = 0; n < island.r / 4; n++) {
    const g = groves[n % 3]
    const a = g.a + (rnd() - 0.5) * 1.3
    const d = island.reach(a) * Math.min(0.66, Math.max(0.3, g.d + (rnd() - 0.5) * 0.35))
    grove.push({ x: Math.cos(a) * d, y: Math.sin(a) * d, r: 7 + 9 * rnd(), g: greens[n % 4] })
  }
  grove.sort((a, b) => a.y - b.y)
  c.fillStyle = 'rgba(24,60,50,.3)'
  c.beginPath()
  for (const t of grove) {
    c.moveTo(t.x + t.r * 1.4, t.y + t.r * 0.6)
    c.arc(t.x + t.r * 0.4, t.y + t.r * 0.6, t.r, 0, 7)
  }
  c.fill()
  for (const t of grove) {
    c.fillStyle = t.g
    dot(c, t.x, t.y, t.r)
    c.fillStyle = 'rgba(190,220,150,.28)'
    dot(c, t.x - t.r * 0.28, t.y - t.r * 0.3, t.r * 0.55)
  }
}

function lighthouse(c) {
  c.fillStyle = 'rgba(24,60,50,.35)'
  c.beginPath()
  c.ellipse(26, 30, 44, 13, 0.8, 0, 7)
  c.fill()
  c.fillStyle = '#d9cfb4'
  dot(c, 0, 0, 25)
  c.fillStyle = '#f7f1e0'
  dot(c, 0, 0, 19)
  c.fillStyle = '#d9492f'
  dot(c, 0, 0, 14)
  c.fillStyle = '#f7f1e0'
  dot(c, 0, 0, 9.5)
  c.fillStyle = '#24394d'
  dot(c, 0, 0, 6.5)
  c.fillStyle = '#ffe08a'
  dot(c, -1, -1, 3.6)
}

function hut(c, rnd) {
  c.save()
  c.rotate(rnd() * 3)
  c.fillStyle = 'rgba(24,60,50,.35)'
  c.fillRect(-13, -8, 34, 28)
  c.fillStyle = '#b5573c'
  c.fillRect(-17, -13, 34, 13)
  c.fillStyle = '#97432d'
  c.fillRect(-17, 0, 34, 13)
  c.fillStyle = '#e9dfc6'
  c.fillRect(5, -9, 6, 6)
  c.restore()
}

function dot(c, x, y, r) {
  c.beginPath()
  c.arc(x, y, r, 0, 7)
  c.fill()
}

const HULL = new Path2D('M31 0C24 8 10 11.5 -6 11C-16 10.7 -24 9.5 -26 7.500L-26 -7.500C-24 -9.5 -16 -10.7 -6 -11C10 -11.5 24 -8 31 0Z')
const DECK = new Path2D('M25 0C19 5.5 9 8 -5 7.800C-14 7.6 -21 6.8 -22.5 5.500L-22.5 -5.500C-21 -6.8 -14 -7.6 -5 -7.800C9 -8 19 -5.5 25 0Z')

/** Draws a boat at its place in a context whose units are those of the sea. */
export function paintBoat(c, boat, wind, time) {
  c.save()
  c.translate(boat.x, boat.y)
  if (boat.ghost) c.globalAlpha = 0.42
  const bob = Math.sin(time * 1.7 + boat.id * 1.3)
  c.save()
  c.translate(4, 7 + bob * 0.6)
  c.rotate(boat.h)
  c.fillStyle = 'rgba(6,44,60,.32)'
  c.fill(HULL)
  c.restore()

  c.rotate(boat.h)
  if (!boat.ghost) bowWave(c, boat, time)
  c.scale(1 + bob * 0.012, 1 - Math.abs(boat.lean) * 0.1)
  c.fillStyle = '#f8f1de'
  c.fill(HULL)
  c.fillStyle = COLORS[boat.color]
  c.fillRect(-26.5, -6.5, 4, 13)
  c.fillStyle = '#b98250'
  c.fill(DECK)
  c.fillStyle = '#cf9a64'
  c.fillRect(-22, -1.2, 40, 2.4)
  c.fillStyle = '#8b5c38'
  c.fillRect(-13, -7.3, 3, 14.6)
  c.fillRect(1, -7.2, 2.5, 14.4)
  c.fillStyle = '#24394d' // the sailor
  dot(c, -16.5, 2.2 * Math.sign(boat.lean || 1), 3.7)
  c.fillStyle = '#f0c7a0'
  dot(c, -16.5, 2.2 * Math.sign(boat.lean || 1), 2.2)
  paintSails(c, boat, wind, time)
  c.restore()
}

function bowWave(c, boat, time) {
  const force = Math.min(1, Math.max(0, boat.v - 50) / 170)
  if (force === 0) return
  c.globalAlpha = 0.7 * force
  c.fillStyle = '#f2fffa'
  const long = 16 + 9 * force + Math.sin(time * 9 + boat.id) * 2
  for (const s of [1, -1]) {
    c.beginPath()
    c.moveTo(33, 0)
    c.quadraticCurveTo(24, s * 13, 30 - long * 1.5, s * (13 + 3 * force))
    c.quadraticCurveTo(20, s * 9, 27, 0)
    c.fill()
  }
  c.globalAlpha = 1
}

function paintSails(c, boat, wind, time) {
  const side = Math.sin(wind - boat.h)
  const across = Math.cos(wind - boat.h) // 1 before the wind
  const lee = Math.abs(side) < 0.08 ? (boat.sailSide ?? 1) : Math.sign(side)
  boat.sailSide = lee
  const boom = lee * (0.22 + 0.62 * Math.max(0, (across + 1) / 2))
  boat.boom = boat.boom === undefined ? boom : boat.boom + (boom - boat.boom) * 0.06
  const flap = across < -0.86 ? Math.sin(time * 19) * 2.5 : 0
  const full = 12 * Math.min(1, 0.35 + boat.v / 220)
  c.translate(9, 0)
  c.fillStyle = 'rgba(255,250,236,.95)' // jib
  c.beginPath()
  c.moveTo(19, 0)
  c.quadraticCurveTo(7, lee * (full * 1.1 + 2) + flap * 0.5, -4, lee * 6)
  c.quadraticCurveTo(6, lee * 1.5, 19, 0)
  c.fill()

  c.rotate(-boat.boom)
  c.fillStyle = 'rgba(6,34,48,.28)'
  sailShape(c, 2, 4, lee, full, flap)
  c.fillStyle = COLORS[boat.color]
  sailShape(c, 0, 0, lee, full, flap)
  c.strokeStyle = 'rgba(255,255,255,.45)'
  c.lineWidth = 1.2
  for (const x of [-11, -22]) {
    c.beginPath()
    c.moveTo(x, lee * 0.6)
    c.lineTo(x - 1, lee * (full * 0.82 + flap * 0.4))
    c.stroke()
  }
  c.strokeStyle = '#5f4028'
  c.lineWidth = 2
  c.beginPath()
  c.moveTo(0, 0)
  c.lineTo(-34, 0)
  c.stroke()
  c.fillStyle = '#5f4028'
  dot(c, 0, 0, 2.4)
}

function sailShape(c, x, y, lee, full, flap) {
  c.beginPath()
  c.moveTo(x, y)
  c.bezierCurveTo(x - 7, y + lee * (full + 6) + flap, x - 22, y + lee * (full + 6) - flap, x - 35, y + lee * 1.5)
  c.lineTo(x - 34, y - lee * 0.8)
  c.lineTo(x, y - lee * 0.8)
  c.fill()
}

/** Foam behind a boat: a ribbon that widens and fades, with a thread of the boat's colour in it. */
export function paintWake(c, boat) {
  const w = boat.wake
  if (w.length < 2 || boat.ghost) return
  const points = w.concat([{ x: boat.x - Math.cos(boat.h) * 20, y: boat.y - Math.sin(boat.h) * 20, h: boat.h, v: boat.v, age: 0 }])
  const parts = 16
  const color = COLORS[boat.color]
  for (let p = 0; p < parts; p++) {
    const from = Math.floor((p * (points.length - 1)) / parts)
    const to = Math.floor(((p + 1) * (points.length - 1)) / parts)
    if (to <= from) continue
    const fade = (p + 0.4) / parts
    ribbon(c, points, from, to, 1)
    c.globalAlpha = 0.2 * fade
    c.fillStyle = '#dff6ee'
    c.fill()
    ribbon(c, points, from, to, 0.3)
    c.globalAlpha = 0.75 * fade
    c.fillStyle = color
    c.fill()
    if (fade < 0.5) continue
    c.globalAlpha = fade - 0.45
    c.strokeStyle = '#f2fffa'
    c.lineWidth = 1.8
    c.lineCap = 'butt'
    for (const side of [1, -1]) {
      c.beginPath()
      for (let n = from; n <= to; n++) edge(c, points[n], side)
      c.stroke()
    }
  }
  c.globalAlpha = 1
}

function edge(c, q, wide) {
  const half = wide * Math.min(1, q.v / 150) * (5 + q.age * 7)
  c.lineTo(q.x - Math.sin(q.h) * half, q.y + Math.cos(q.h) * half)
}

function ribbon(c, points, from, to, wide) {
  c.beginPath()
  for (let n = from; n <= to; n++) edge(c, points[n], wide)
  for (let n = to; n >= from; n--) edge(c, points[n], -wide)
  c.closePath()
}

export function paintBuoy(c, b, time) {
  const phase = time * 2 + b.id * 1.7
  const pop = Math.min(1, b.age * 3)
  const lift = Math.sin(phase) * 2
  c.save()
  c.translate(b.x, b.y)
  c.scale(pop, pop)
  const ring = (time * 0.45 + b.id * 0.37) % 1
  c.globalAlpha = (1 - ring) * 0.4
  c.strokeStyle = b.gold ? '#ffe39a' : '#d8f4ec'
  c.lineWidth = 1.6
  c.beginPath()
  c.ellipse(0, 2, 13 + ring * 19, 9 + ring * 14, 0, 0, 7)
  c.stroke()
  c.globalAlpha = 1
  c.fillStyle = 'rgba(6,44,60,.32)'
  c.beginPath()
  c.ellipse(5, 6, 14, 9, 0.2, 0, 7)
  c.fill()
  c.translate(0, lift)
  c.rotate(Math.sin(phase * 0.8) * 0.12)
  const [body, dark] = b.gold ? ['#f5b82e', '#c98a14'] : ['#e4502f', '#b23a20']
  c.fillStyle = dark
  c.beginPath()
  c.ellipse(0, 2, 13, 9, 0, 0, 7)
  c.fill()
  c.fillStyle = body
  c.beginPath()
  c.moveTo(-12, 0)
  c.quadraticCurveTo(-10, -7, -4.5, -22)
  c.lineTo(4.5, -22)
  c.quadraticCurveTo(10, -7, 12, 0)
  c.ellipse(0, 0, 12, 7, 0, 0, Math.PI)
  c.fill()
  c.fillStyle = '#fff6e2'
  c.beginPath()
  c.moveTo(-9.2, -8)
  c.quadraticCurveTo(0, -3.5, 9.2, -8)
  c.lineTo(6.8, -15)
  c.quadraticCurveTo(0, -12, -6.8, -15)
  c.fill()
  c.fillStyle = '#24394d'
  c.fillRect(-1, -32, 2, 10)
  c.fillStyle = b.gold ? '#fff3c9' : '#24394d'
  c.beginPath()
  c.moveTo(1, -32)
  c.lineTo(12 + Math.sin(phase * 2), -28.5)
  c.lineTo(1, -25)
  c.fill()
  c.restore()
}

/** A few gulls on their way across the view; where they are follows from the time alone. */
export function paintGulls(c, view, time) {
  for (let n = 0; n < 5; n++) {
    const flock = n < 3 ? 0 : 1
    const span = view.w + 700
    const along = (time * (62 + flock * 13) + flock * 900) % (span * 2.2)
    const x = view.x - 350 + along - (n % 3) * 34
    const y = view.y + view.h * (flock ? 0.72 : 0.2) + along * 0.12 + (n % 3) * 22 * (n % 2 ? 1 : -1)
    const beat = Math.sin(time * 7 + n * 1.9)
    gull(c, x + 26, y + 46, beat, 'rgba(6,44,60,.16)')
    gull(c, x, y, beat, '#fdfaf0')
  }
}

function gull(c, x, y, beat, color) {
  c.save()
  c.translate(x, y)
  c.rotate(0.15)
  const reach = 17 - Math.abs(beat) * 3
  c.fillStyle = color
  c.beginPath()
  c.ellipse(0, 0, 7.5, 2.6, 0, 0, 7)
  c.moveTo(-6, 0)
  c.lineTo(-11, -2.6)
  c.lineTo(-11, 2.6)
  for (const s of [1, -1]) {
    c.moveTo(4, s)
    c.quadraticCurveTo(7, s * reach * 0.45, 1, s * reach * 0.62)
    c.quadraticCurveTo(-2, s * reach * 0.85, -8 - beat * 2, s * reach)
    c.quadraticCurveTo(-4, s * reach * 0.7, -4, s * reach * 0.5)
    c.quadraticCurveTo(-2, s * reach * 0.2, -3, s)
  }
  c.fill()
  c.restore()
}
