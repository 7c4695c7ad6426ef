/**
 * What the host of a race among friends decides: who may come, where boats are, who takes which buoy, when it begins and
 * ends. It writes the session's state; session.js shows it, here as at everybody who joined.
 */

import { openWater, takeBuoys } from './local.js'
import { COLORS, clamp, sail, seeded } from './world.js'

export const LOBBY = { uuid: 'lobby', name: 'Lobby' }
export const RACE = { uuid: 'race', name: 'Race' }
export const BUOYS = 30
export const CREW = 8
export const STILL = { turn: 0, aim: null, thrust: 0, gust: false }
const COUNTDOWN = 3500 // milliseconds from everybody's having loaded the race to its start
const RACE_TIME = 120000
const BOARD_TIME = 8000 // of the result, before all go back to the lobby
const REPORT_EVERY = 50
const EMOTE_WAIT = 300

export class Race {
  /** @param {import('./session.js').SessionGame} game */
  constructor(game) {
    this.game = game
    this.s = game.s
    this.helms = new Map() // by object: what its owner does with it
    this.emoted = new Map() // by object: when last
    this.before = performance.now()
    this.reportAt = 0
    this.s.connectionApprovalCallback = (request) => this.approve(request)
    this.s.onHostPeerActivatedInScene.add((id) => this.giveBoat(id)) // those who come late too
    this.s.onHostSceneTransitionComplete.add(() => this.countDown())
    this.s.onHostTransitionAborted.add(() => this.state.set('phase', 'lobby'))
  }

  get state() { return this.s.context.gameState }

  /** The session is there; after a crash or a reload its state is the one of before. */
  begin() {
    const { context } = this.s
    const { name, color } = this.game.player
    this.state.set('host', { name: name.slice(0, 16), color, score: this.state.get('host.score') ?? 0 })
    context.onRpc('helm', (args, from, id) => this.steer(id, args))
    context.onRpc('emote', (args, from, id) => this.emote(id, args.readU8()))
    if (this.s.activeScene) return this.state.get('phase') === 'loading' && this.state.set('phase', 'lobby')
    this.state.set('phase', 'lobby')
    this.s.hostLoadScene(LOBBY)
  }

  approve({ playerName, userData, asSpectator }) {
    const name = playerName.trim()
    const no = (reason) => ({ approved: false, reason })
    if (asSpectator) return no('Everybody sails here')
    if (!name || name.length > 16) return no('A boat needs a name of 1 to 16 letters')
    const names = [this.state.get('host.name'), ...[...this.s.context.playerStates.values()].map((p) => p.get('name'))]
    if (names.some((n) => n?.toLowerCase() === name.toLowerCase())) return no(`Somebody here is called ${name}: take another name`)
    const color = userData.length === 1 && userData[0] < COLORS.length ? userData[0] : 0
    return { approved: true, playerState: { name, color, score: 0 } }
  }

  giveBoat(owner) {
    this.game.enter()
    const { context } = this.s
    if (!this.game.sea || [...context.objects.values()].some((o) => o.owner === owner)) return
    const { world, start } = this.game.sea
    const angle = owner * 2.4
    const at = [Math.round(this.s.serverTimeEpochMs), start.x + 95 * Math.cos(angle), start.y + 95 * Math.sin(angle), world.wind, 0, 0, 0]
    context.spawn('boat', { at }, { owner, despawnWithOwner: true })
  }

  steer(id, args) {
    const turn = clamp(args.readI8() / 100, -1, 1)
    const aims = args.readBool()
    const aim = args.readF32()
    const thrust = clamp(args.readU8() / 100, 0, 1)
    const gust = args.readBool() || !!this.helms.get(id)?.gust // until the boat had it
    this.helms.set(id, { turn, aim: aims && Number.isFinite(aim) ? aim : null, thrust, gust })
  }

  emote(id, k) {
    const now = performance.now()
    if (k > 3 || !this.game.boat(id) || now - (this.emoted.get(id) ?? -EMOTE_WAIT) < EMOTE_WAIT) return
    this.emoted.set(id, now)
    this.game.showEmote(id, k)
    this.tell('emote', (out) => {
      out.writeVarU(id)
      out.writeU8(k)
    })
  }

  /** Everybody hears what is no state: a horn, a splash, the result. */
  tell(name, write) {
    const out = new conch.DataStream()
    write(out)
    this.s.sendRpcMulticast(name, 0, out, this.s.peers.map((p) => p.connectionId))
  }

  // The race.

  get canStart() { return this.state.get('phase') === 'lobby' && !!this.s.activeScene }

  start() {
    if (!this.canStart) return
    this.state.set('phase', 'loading')
    this.s.hostLoadScene(RACE)
  }

  countDown() {
    if (this.state.get('phase') !== 'loading') return
    this.game.enter()
    this.rnd = seeded(Math.random() * 4294967296)
    for (let slot = 0; slot < BUOYS; slot++) this.dropBuoy(slot, slot)
    this.state.set('host.score', 0)
    for (const player of this.s.context.playerStates.values()) player.set('score', 0)
    const startAt = Math.round(this.s.serverTimeEpochMs) + COUNTDOWN
    this.state.set('startAt', startAt)
    this.state.set('endAt', startAt + RACE_TIME)
    this.state.set('phase', 'race')
  }

  dropBuoy(slot, id) {
    this.rnd ??= seeded(Math.random() * 4294967296) // after a crash
    const { world, start } = this.game.sea
    let at = openWater(world, this.rnd, 40)
    // Near the start: eight boats on the whole sea would never meet.
    for (let n = 0; n < 20 && Math.hypot(at.x - start.x, at.y - start.y) > 1100; n++) at = openWater(world, this.rnd, 40)
    this.state.set('b' + slot, [id, Math.round(at.x), Math.round(at.y), this.rnd() < 0.14])
  }

  /** At every frame, and now and then while the window is hidden; helm is of the host's own boat. */
  step(helm) {
    this.clock()
    const now = performance.now()
    for (let left = Math.min(1000, now - this.before); left > 0; left -= 50) this.sail(Math.min(50, left) / 1000, helm)
    this.before = now
    if (now < this.reportAt) return
    this.reportAt = now + REPORT_EVERY
    const t = Math.round(this.s.serverTimeEpochMs)
    const tenth = (v) => Math.round(v * 10) / 10
    for (const boat of this.game.sea.world.boats.values()) {
      const at = [t, tenth(boat.x), tenth(boat.y), Math.round(boat.h * 1000) / 1000, tenth(boat.v), tenth(boat.rest), tenth(boat.gust)]
      this.s.context.objects.get(boat.id)?.set('at', at)
    }
  }

  clock() {
    const time = this.s.serverTimeEpochMs
    const phase = this.state.get('phase')
    const endAt = this.state.get('endAt')
    if (phase === 'race' && time >= endAt) this.finish()
    if (phase === 'over' && time >= endAt + BOARD_TIME) {
      this.state.set('phase', 'lobby')
      this.s.hostLoadScene(LOBBY)
    }
  }

  sail(dt, helm) {
    const { game } = this
    const { world } = game.sea
    for (const boat of world.boats.values()) {
      const mine = boat === game.me
      const given = mine ? helm : this.helms.get(boat.id) ?? STILL
      const did = sail(boat, game.racing && !game.running ? STILL : given, dt, world)
      given.gust = false
      if (mine && did.bumped) game.on.bump()
      if (mine && did.gusted) game.on.gust()
      if (game.running) takeBuoys({ world, dropBuoy() {} }, boat, (buoy, points) => this.taken(boat, buoy, points))
    }
    world.age(dt)
  }

  taken(boat, buoy, points) {
    const score = boat.score
    if (boat.owner === this.s.localConnectionId) this.state.set('host.score', score)
    else this.s.context.playerStates.get(boat.owner)?.set('score', score)
    this.dropBuoy(buoy.id % BUOYS, buoy.id + BUOYS)
    this.game.showTake(boat, buoy, points, boat.combo)
    this.tell('take', (out) => {
      for (const n of [boat.id, buoy.id, buoy.x, buoy.y, points, boat.combo]) out.writeVarU(Math.round(n))
      out.writeBool(buoy.gold)
    })
  }

  finish() {
    this.state.set('phase', 'over')
    this.game.showFinish()
    this.tell('finish', () => {})
  }
}
