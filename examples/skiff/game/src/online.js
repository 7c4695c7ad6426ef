/** A place in a room of a server: the connection, its coming back, and the boats of the others. */

import { positionFrame, readSnapshot } from './protocol.js'
import { Boat, COMBO_TIME, World, sail, takeEffects, turnTo } from './world.js'

const SEND_EVERY = 0.05 // seconds between positions
const LOOK_BACK = 110 // milliseconds: others are shown where they were, so that they move evenly
const FINAL = new Set([1000, 1008, 4001, 4002]) // closes that trying again will not mend
const TRIES = 8

/**
 * States: 'connecting', 'sailing', 'waiting' (tries again by itself), 'ended'.
 */
export class Online {
  /**
   * @param {import('./net.js').Net} net
   * @param {import('./harbours.js').Harbour} harbour
   * @param {{name: string, color: number}} player
   * @param {object} on take, bump, gust, chat, emote, crew, round, state: functions, see main.js
   */
  constructor(net, harbour, player, on) {
    this.kind = 'online'
    this.net = net
    this.harbour = harbour
    this.player = player
    this.on = on
    this.world = null
    this.me = null
    this.state = 'connecting'
    this.error = '' // the last thing onError said, or why a connect was refused
    this.why = '' // one line about the last close
    this.ping = 0
    this.left = 0
    this.tries = 0
    this.retryAt = 0
    this.connect()
  }

  connect() {
    this.setState('connecting')
    this.retryAt = 0
    this.error = ''
    try {
      this.sock = this.net.connect(this.harbour.url)
    } catch (err) {
      this.error = err.message
      this.why = 'This connection is not allowed'
      this.setState('ended')
      return
    }
    const sock = this.sock
    sock.onOpen = () => {
      this.sendText({ t: 'join', name: this.player.name, color: this.player.color, token: this.token })
    }
    sock.onMessage = (data) => {
      if (typeof data === 'string') this.text(JSON.parse(data))
      else this.snapshot(data)
    }
    sock.onError = (message) => { this.error = message }
    sock.onClose = (code, reason, wasClean) => {
      if (sock === this.sock) this.closed(code, reason, wasClean)
    }
  }

  closed(code, reason, wasClean) {
    if (this.state === 'ended') return
    this.why = (wasClean && reason ? reason : this.world ? 'The connection was lost' : 'No way into the harbour') + ` (${code})`
    if (FINAL.has(code) || ++this.tries > TRIES) {
      this.setState('ended')
      return
    }
    const wait = Math.min(8000, 700 * 2 ** (this.tries - 1)) * (0.8 + 0.4 * Math.random())
    this.retryAt = performance.now() + wait
    this.setState('waiting')
  }

  setState(state) {
    this.state = state
    this.on.state(this)
  }

  /** The player leaves; nothing is reported any more. */
  end() {
    this.state = 'ended'
    this.sock?.close(1000, 'going ashore')
    this.sock = null
  }

  sendText(message) {
    if (this.sock?.readyState === 'open') this.sock.send(JSON.stringify(message))
  }
  chat(text) { this.sendText({ t: 'chat', text }) }
  emote(k) { this.sendText({ t: 'emote', k }) }

  text(m) {
    const boat = this.world?.boats.get(m.id)
    switch (m.t) {
      case 'welcome': return this.welcome(m)
      case 'joined':
        this.world.boats.set(m.id, this.newBoat(m))
        return this.on.crew(m.name + ' sails in')
      case 'left':
        this.world.boats.delete(m.id)
        return this.on.crew(boat ? boat.name + ' went ashore' : '')
      case 'chat': return boat && this.on.chat(boat, m.text)
      case 'emote': return boat && this.on.emote(boat, m.k)
      case 'score': return this.score(m, boat)
      case 'round':
        this.left = m.left
        for (const b of this.world.boats.values()) b.score = b.combo = 0
        return this.on.round(m.best)
      case 'warp':
        this.me.x = m.x
        this.me.y = m.y
        return
      case 'pong': this.ping = performance.now() - m.at
    }
  }

  welcome(m) {
    const old = this.me
    this.token = m.token
    this.world = new World(m.islands, m.size)
    for (const b of m.buoys) this.world.addBuoy(b)
    for (const c of m.crew) this.world.boats.set(c.id, this.newBoat(c))
    this.me = this.world.boats.get(m.id)
    Object.assign(this.me, { x: m.x, y: m.y, h: old?.h ?? -0.6, shown: true })
    this.eye = this.me
    this.left = m.left
    this.offset = undefined
    this.sendIn = this.pingIn = 0
    this.tries = 0
    this.setState('sailing')
  }

  newBoat(c) {
    const boat = new Boat(c)
    boat.shown = false // until a snapshot says where it is
    return boat
  }

  score(m, boat) {
    const buoy = this.world.buoys.get(m.buoy)
    this.world.buoys.delete(m.buoy)
    this.world.addBuoy(m.next)
    if (!boat) return
    boat.score = m.score
    boat.combo = m.combo
    boat.comboLeft = COMBO_TIME
    if (buoy) takeEffects(this.world, boat, buoy, m.points)
    if (boat === this.me) this.on.take(m.points, m.combo, buoy?.gold)
  }

  snapshot(data) {
    if (!this.world) return
    let at = 0
    const seen = []
    const head = readSnapshot(data, (id, x, y, h, v) => seen.push({ id, x, y, h, v }))
    if (!head) return
    at = head.at
    this.windNow = head.wind
    // The smallest difference ever seen is the truest; it may drift slowly.
    const offset = performance.now() - at
    this.offset = this.offset === undefined ? offset : Math.min(offset, this.offset + 0.5)
    for (const s of seen) {
      const boat = this.world.boats.get(s.id)
      if (!boat || boat === this.me) continue
      boat.track.push({ t: at, x: s.x, y: s.y, h: s.h, v: s.v })
      if (boat.track.length > 16) boat.track.shift()
    }
  }

  update(dt, helm) {
    if (this.state === 'waiting' && performance.now() >= this.retryAt) this.connect()
    if (!this.world) return
    this.left = Math.max(0, this.left - dt * 1000)
    if (this.windNow !== undefined) this.world.wind += turnTo(this.world.wind, this.windNow) * Math.min(1, 2 * dt)
    const did = sail(this.me, helm, dt, this.world)
    if (did.bumped) this.on.bump()
    if (did.gusted) this.on.gust()
    this.showOthers()
    this.world.age(dt)
    if (this.state === 'sailing') this.report(dt)
  }

  showOthers() {
    const now = performance.now() - (this.offset ?? 0) - LOOK_BACK
    for (const boat of this.world.boats.values()) {
      if (boat !== this.me && boat.track.length) follow(boat, now)
    }
  }

  report(dt) {
    this.sendIn -= dt
    this.pingIn -= dt
    if (this.sendIn <= 0 && this.sock.readyState === 'open' && this.sock.bufferedAmount < 4096) {
      this.sendIn = SEND_EVERY
      this.sock.send(positionFrame(this.me))
    }
    if (this.pingIn <= 0) {
      this.pingIn = 2
      this.sendText({ t: 'ping', at: performance.now() })
    }
  }
}

/** Puts a remote boat where it was at that server time; a little beyond the last word it goes on. */
export function follow(boat, now) {
  const track = boat.track
  while (track.length > 2 && track[1].t <= now) track.shift()
  const a = track[0]
  const b = track[1] ?? a
  const span = b.t - a.t
  const f = span > 0 ? Math.max(0, Math.min((now - a.t) / span, 1 + 250 / span)) : 0
  const turn = turnTo(a.h, b.h)
  boat.x = a.x + (b.x - a.x) * f
  boat.y = a.y + (b.y - a.y) * f
  boat.lean += (Math.max(-1, Math.min(1, turn * 8)) - boat.lean) * 0.1
  boat.h = a.h + turn * Math.min(f, 1)
  boat.v = b.v
  boat.shown = true
}
