/**
 * A race among friends, hosted by one of them: the session as this player sees it. The host's page decides (race.js), the
 * others ask it to steer their boats; all of them show what the session's state says.
 */

import { makeWorld, openWater, windAt } from './local.js'
import { follow } from './online.js'
import { BUOYS, CREW, LOBBY, RACE, Race, STILL } from './race.js'
import { Boat, COMBO_TIME, takeEffects } from './world.js'

const IDS = { projectId: 'conch.example.skiff', sessionId: 'friends', buildHash: '1' } // the build is the version of these rules
const SEEDS = { [LOBBY.uuid]: 71, [RACE.uuid]: 2024 }
const LOOK_BACK = 110 // milliseconds: boats are shown where they were, so that they move evenly
const SEND_EVERY = 0.05
const SEND_ANYWAY = 0.5

const WORDS = {
  unreachable: 'Nobody hosts a race there', timeout: 'No answer from there', not_a_host: 'Nobody hosts a race there',
  wrong_project: 'Another game is hosted there', build_mismatch: 'The host has another version of Skiff',
  bad_code: 'That is not the code of this race', full: `All ${CREW} places are taken`, rate_limited: 'Too many tries, wait a minute',
  host_stopped: 'The host went ashore', host_stopping: 'The host went ashore', connection_lost: 'The connection was lost',
  host_not_responding: 'The host does not answer',
}

/** Why playing among friends is not possible here; '' where it is. */
export function sessionsMissing() {
  return typeof globalThis.NetSessionManager === 'function' ? '' : 'Only in Conch: a browser alone cannot do this'
}

/** A sea that is the same for everybody, by its scene. */
function seaOf(scene) {
  const { world, rnd } = makeWorld(SEEDS[scene.uuid] ?? SEEDS[LOBBY.uuid])
  return { world, start: openWater(world, rnd, 200, 1300) }
}

/** States: 'connecting', 'sailing', 'waiting' (the session tries to come back), 'ended'. */
export class SessionGame {
  /**
   * @param {{address?: string, code?: string}} how without an address this page hosts
   * @param {{name: string, color: number}} player
   * @param {object} on take, bump, gust, emote, crew, round, state, toast: functions, see main.js
   */
  constructor(how, player, on) {
    Object.assign(this, { kind: 'session', how, player, on })
    this.hosting = how.address === undefined
    this.harbour = { name: this.hosting ? 'Your race' : 'Race at ' + how.address, url: '' }
    this.state = 'connecting'
    this.error = this.why = ''
    this.ping = this.left = this.retryAt = 0
    this.sea = this.me = null
    this.transition = 0
    this.crew = new Map() // names by connection
    this.sendIn = 0
    this.s = new NetSessionManager()
    this.s.onSessionStarted.add(() => this.started())
    this.s.onSessionStopped.add((reason) => this.over(reason))
    this.s.onClientJoinFailed.add((reason) => this.over(reason))
    this.s.onClientConnectionLost.add(() => this.setState('waiting'))
    this.s.onClientConnectionResumed.add(() => this.setState('sailing'))
    if (this.hosting) this.race = new Race(this)
    this.timer = setInterval(() => { if (document.hidden) this.update(0, STILL) }, 100) // a hidden window has no frames
    if (!this.open()) this.over(this.s.lastError)
  }

  open() {
    if (this.hosting) return this.s.startHost(IDS.projectId, IDS.sessionId, IDS.buildHash, undefined, { maxPeers: CREW - 1 })
    const request = { ...IDS, joinCode: this.how.code, playerName: this.player.name, userData: Uint8Array.of(this.player.color) }
    try {
      return this.s.joinSession(request, this.how.address)
    } catch (err) { // a code or an address that can be none
      this.error = err.message
      return false
    }
  }

  setState(state) {
    this.state = state
    this.on.state(this)
  }

  over(reason) {
    if (this.state === 'ended') return
    const word = reason.split(':')[0]
    this.why = WORDS[word] ?? (word === 'refused' || word === 'kicked' ? reason.slice(word.length + 2) : reason) ?? ''
    this.why ||= 'The race is over'
    this.setState('ended')
  }

  /** The player leaves; nothing is reported any more. */
  end() {
    this.state = 'ended'
    clearInterval(this.timer)
    this.s.stop()
  }

  started() {
    const { context } = this.s
    context.sceneLoader = (scene) => ({ sea: seaOf(scene) })
    if (this.race) this.race.begin()
    else {
      context.onRpc('take', (args) => {
        const [id, buoyId, x, y, points, combo] = Array.from({ length: 6 }, () => args.readVarU())
        const boat = this.boat(id)
        if (boat) this.showTake(boat, { id: buoyId, x, y, gold: args.readBool() }, points, combo)
      })
      context.onRpc('emote', (args) => this.showEmote(args.readVarU(), args.readU8()))
      context.onRpc('finish', () => this.showFinish())
    }
    this.setState('sailing')
  }

  // What the state says.

  get world() { return this.me ? this.sea.world : null }
  get eye() { return this.me }
  get racing() { return this.scene?.uuid === RACE.uuid }
  get running() {
    const { gameState } = this.s.context
    const time = this.s.serverTimeEpochMs
    return this.racing && gameState.get('phase') === 'race' && time >= gameState.get('startAt') && time < gameState.get('endAt')
  }
  boat(id) { return this.sea?.world.boats.get(id) }

  /** Name, colour and score of a connection. */
  sailor(connection) {
    const { gameState, playerStates } = this.s.context
    const from = connection === 1 ? (name) => gameState.get('host.' + name) : (name) => playerStates.get(connection)?.get(name)
    return { name: from('name') ?? '', color: from('color') ?? 0, score: from('score') ?? 0 }
  }

  /** Goes over into the scene that is active now. */
  enter() {
    const now = this.s.activeScene
    if (!now || now.transitionId === this.transition) return
    this.transition = now.transitionId
    this.scene = now.scene
    this.sea = now.sea ?? seaOf(now.scene)
    this.slots = []
    this.count = 0
    if (this.racing) this.on.toast('Take your places')
    this.race?.giveBoat(this.s.localConnectionId)
  }

  update(dt, helm) {
    this.s.update(dt)
    if (this.state === 'ended' || !this.s.isSessionActive) return
    this.enter()
    if (!this.sea) return
    const { world } = this.sea
    world.wind = windAt((this.s.serverTimeEpochMs / 1000) % 86400)
    this.syncBoats(dt)
    this.syncBuoys()
    this.syncCrew()
    this.countDown()
    if (this.race) return this.race.step(helm)
    const at = this.s.serverTimeEpochMs - LOOK_BACK
    for (const boat of world.boats.values()) follow(boat, at)
    world.age(dt)
    this.steer(dt, helm)
  }

  syncBoats(dt) {
    const { objects } = this.s.context
    const { boats } = this.sea.world
    for (const id of boats.keys()) if (!objects.has(id)) boats.delete(id)
    for (const [id, object] of objects) {
      const [t, x, y, h, v, rest, gust] = object.get('at')
      let boat = boats.get(id)
      if (!boat) boats.set(id, boat = new Boat({ id, name: '', x, y, h }))
      Object.assign(boat, this.sailor(object.owner), { owner: object.owner })
      if (object.isMine) this.me = boat
      if (this.race) continue
      boat.rest = Math.max(0, boat.rest - dt)
      if (t === boat.heard) continue
      Object.assign(boat, { heard: t, rest, gust })
      boat.track.push({ t, x, y, h, v })
      if (boat.track.length > 16) boat.track.shift()
    }
  }

  syncBuoys() {
    for (let slot = 0; this.racing && slot < BUOYS; slot++) {
      const value = this.s.context.gameState.get('b' + slot)
      if (!value || value[0] === this.slots[slot]) continue
      this.sea.world.buoys.delete(this.slots[slot])
      const [id, x, y, gold] = value
      this.slots[slot] = id
      this.sea.world.addBuoy({ id, x, y, gold })
    }
  }

  syncCrew() {
    const now = new Map([1, ...this.s.context.playerStates.keys()].map((id) => [id, this.sailor(id).name]))
    for (const [id, name] of now) if (!this.crew.has(id) && id !== this.s.localConnectionId) this.on.crew(name + ' sails in')
    for (const [id, name] of this.crew) if (!now.has(id)) this.on.crew(name + ' went ashore')
    this.crew = now
  }

  /** The start, by the session's clock: everybody sees it at the same time. */
  countDown() {
    const { gameState } = this.s.context
    const time = this.s.serverTimeEpochMs
    const phase = gameState.get('phase')
    this.left = this.racing && phase === 'race' ? Math.max(0, gameState.get('endAt') - Math.max(time, gameState.get('startAt'))) : 0
    if (!this.racing || phase !== 'race') return
    const count = Math.ceil((gameState.get('startAt') - time) / 1000)
    if (count === this.count || count > 3) return
    if (count > 0) this.on.toast(String(count))
    else if (this.count > 0) this.on.toast('Go!')
    this.count = Math.max(0, count)
  }

  // What the player does, at a client.

  steer(dt, helm) {
    this.sendIn -= dt
    this.gust ||= helm.gust
    if (this.state !== 'sailing' || this.sendIn > 0 || !this.boat(this.me?.id)) return
    const now = [Math.round(helm.turn * 100), helm.aim === null ? null : Math.round(helm.aim * 100), Math.round(helm.thrust * 100)].join()
    if (now === this.sent && !this.gust && this.sendIn > -SEND_ANYWAY) return
    const args = new conch.DataStream()
    args.writeI8(Math.round(helm.turn * 100))
    args.writeBool(helm.aim !== null)
    args.writeF32(helm.aim ?? 0)
    args.writeU8(Math.round(helm.thrust * 100))
    args.writeBool(!!this.gust)
    if (this.gust && this.me.rest === 0) this.on.gust()
    this.sent = now
    this.gust = false
    this.sendIn = SEND_EVERY
    this.s.sendRpcToHost('helm', this.me.id, args).onDone((op) => { if (op.result?.status === 'ok') this.ping = op.result.rttMs })
  }

  emote(k) {
    if (!this.boat(this.me?.id)) return
    if (this.race) return this.race.emote(this.me.id, k)
    const args = new conch.DataStream()
    args.writeU8(k)
    this.s.sendRpcToHost('emote', this.me.id, args)
  }

  // What the host tells.

  showTake(boat, buoy, points, combo) {
    boat.combo = combo
    boat.comboLeft = COMBO_TIME
    takeEffects(this.sea.world, boat, buoy, points)
    if (boat === this.me) this.on.take(points, combo, buoy.gold)
  }

  showEmote(id, k) {
    const boat = this.boat(id)
    if (boat && this.me) this.on.emote(boat, k)
  }

  showFinish() {
    const rows = [...this.crew.keys()].map((id) => ({ id, ...this.sailor(id), me: id === this.s.localConnectionId }))
    this.on.finish(rows.sort((a, b) => b.score - a.score || a.id - b.id))
  }
}
