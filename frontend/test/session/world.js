// A world for one session in a test: a clock that only tests move, timers on it, and transports whose far side is here.

import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { createManagerClass } from '../../src/session/manager.js'
import { encode } from '../../src/session/cbor.js'
import { crc32c } from '../../src/session/hash.js'
import { T, frameOf, parse, snapshotOf } from '../../src/session/wire.js'
import { DataStream } from '../../src/session/stream.js'

export const LIMITS = {
  args: 65536, message: 67584, frames: 120, framesBurst: 240, bytes: 262144, bytesBurst: 524288, calls: 60, callsBurst: 120,
  pingMillis: 2000, timeoutMillis: 10000, resumeMillis: 20000, callsInFlight: 256
}

export const EVENTS = ['onHostPeerConnected', 'onHostPeerDisconnected', 'onSessionStarted', 'onSessionStopped', 'onClientJoinFailed',
  'onClientSceneLoadRequested', 'onClientSceneActivate', 'onClientGameStateReplicated', 'onClientPlayerStateReplicated',
  'onClientObjectReplicated', 'onHostSceneTransitionComplete', 'onHostPeerSceneLoadComplete', 'onHostPeerActivatedInScene',
  'onHostPeerDropped', 'onHostPeerResumed', 'onHostTransitionAborted', 'onClientConnectionLost', 'onClientConnectionResumed',
  'onClientObjectRemoved']

export class World {
  time = 1000
  epoch = 1790000000000
  /** What performance.now misses while the computer sleeps. */
  slept = 0
  timers = []
  dials = []
  lines = []
  kept = new Map()
  wakers = new Set()
  lastTimer = 0
  hostStarts = []
  hostReply = { ok: true, error: '', port: 24642, joinCode: 'K7M2QX', dedicated: false, maxArgs: 65536, hostMicros: 1790000001000000, link: 'h1' }

  constructor(changes = {}) {
    const world = this
    this.env = {
      connect(address, options) {
        if (changes.blocked) throw new Error('mixed content')
        return world.transport({ address, ...options })
      },
      now: () => world.time,
      wall: () => world.epoch + world.time + world.slept,
      random: (n) => new Uint8Array(n).map(() => Math.floor(Math.random() * 256)),
      setTimeout(run, ms) {
        const id = ++world.lastTimer
        world.timers.push({ id, at: world.time + ms, run })
        return id
      },
      clearTimeout(id) { world.timers = world.timers.filter((t) => t.id !== id) },
      places: new Set(),
      storage: {
        getItem: (key) => world.kept.get(key) ?? null,
        setItem: (key, value) => world.kept.set(key, value),
        removeItem: (key) => world.kept.delete(key)
      },
      log: {
        error: (...args) => world.lines.push(['error', ...args]),
        note: (...args) => world.lines.push(['note', ...args]),
        debug() {}
      },
      kind: changes.kind || 'browser',
      onWake(run) {
        world.wakers.add(run)
        return () => world.wakers.delete(run)
      },
      host: changes.noHost ? null : {
        start(start) {
          world.hostStarts.push(start)
          return world.hostReply
        },
        link: (name) => world.transport({ link: name })
      }
    }
    this.Manager = createManagerClass(this.env, { local: true, allowedHosts: ['play.example.net'], ...changes.rules })
  }

  /** A manager whose events are written down. */
  manager() {
    const s = new this.Manager()
    const calls = []
    for (const name of EVENTS) s[name].add((...args) => { calls.push([name, ...args]) })
    return { s, calls, names: () => calls.map(([name]) => name), take: () => calls.splice(0) }
  }

  transport(about) {
    const t = {
      ...about, sent: [], closed: null, state: 'connecting', bufferedAmount: 0, onopen: null, onmessage: null, onclose: null,
      send(data) { if (t.state === 'open') t.sent.push(new Uint8Array(data)) },
      close(code, reason) {
        if (t.state === 'closed') return
        t.closed ??= [code, reason]
        t.state = 'closed'
      },
      // the far side
      open() { t.state = 'open'; t.onopen?.() },
      receive(data) { t.onmessage?.(data) },
      drop(code = 1006, reason = '') { t.state = 'closed'; t.onclose?.(code, reason) }
    }
    this.dials.push(t)
    return t
  }

  get last() { return this.dials[this.dials.length - 1] }

  /** Lets time pass, with its timers in their order. */
  pass(ms) {
    const end = this.time + ms
    for (;;) {
      const next = this.timers.filter((t) => t.at <= end).sort((a, b) => a.at - b.at || a.id - b.id)[0]
      if (!next) break
      this.timers = this.timers.filter((t) => t !== next)
      this.time = Math.max(this.time, next.at)
      next.run()
    }
    this.time = end
  }

  /** Time in which no timer of the page runs; those that are due then come late. */
  freeze(ms) { this.time += ms }

  /** The page is loaded again: nothing of it goes on. */
  reload() {
    this.timers = []
    this.wakers.clear()
    this.env.places.clear()
  }

  wake() { for (const run of [...this.wakers]) run() }
}

/** Lets promises settle. */
export const settle = () => new Promise((resolve) => setImmediate(resolve))

/** One connection, seen from a host. */
export class FakeHost {
  names = []
  read = 0

  constructor(world, { project = 'skiff', secret = null, need = 0, id = 2, session = 'friday', limits = LIMITS, transport } = {}) {
    Object.assign(this, { world, project, secret, need, id, session, limits })
    this.t = transport || world.last
  }

  send(...frames) {
    this.t.receive(Uint8Array.from(frames.flatMap((f) => [...f])).buffer)
  }

  /** Frames that came since the last call. */
  take() {
    const all = this.t.sent.slice(this.read).flatMap((m) => parse(m))
    this.read = this.t.sent.length
    return all
  }

  /** The same without pings and pongs. */
  heard() { return this.take().filter((f) => f.type !== T.ping && f.type !== T.pong) }

  challenge() {
    this.t.open()
    const [hello] = this.take()
    this.nonceC = hello.nonce
    this.nonceH = new Uint8Array(16).fill(7)
    this.helloOK = Buffer.from(hello.project).equals(this.digest('client', this.nonceC))
    this.send(frameOf(T.challenge, {
      version: 1, nonce: this.nonceH, project: this.digest('host', this.nonceC, this.nonceH), need: this.need,
      salt: this.need ? new Uint8Array([1, 2]) : new Uint8Array(0), iterations: this.need ? 100 : 0
    }))
  }

  digest(who, ...parts) {
    return createHash('sha256').update(Buffer.concat([Buffer.from(`conch.session.1 ${who}`), ...parts, Buffer.from(this.project)])).digest()
  }

  proof(what) {
    if (!this.need) return new Uint8Array(0)
    const key = pbkdf2Sync(this.secret, new Uint8Array([1, 2]), 100, 32, 'sha256')
    return createHmac('sha256', key).update(Buffer.concat([Buffer.from(`conch.session.1 ${what}`), this.nonceC, this.nonceH, Buffer.from(this.project)])).digest()
  }

  welcomeFrame(changes = {}) {
    return frameOf(T.welcome, {
      id: this.id, session: this.session, token: new Uint8Array(16).fill(this.id), role: 0, resumed: false, proof: this.proof('welcome'),
      hostMicros: (this.world.epoch + this.world.time) * 1000, tickHz: 20, limits: this.limits, ...changes
    })
  }

  /** From the dial to the first snapshot. */
  join(entities = [{ target: 0, fields: { phase: 'lobby' } }, { target: 9, fields: { score: 1 } }], changes = {}) {
    this.challenge()
    const [auth] = this.take()
    this.send(this.welcomeFrame(changes))
    this.snapshot(1, entities)
    return auth
  }

  field(name, value) {
    let key = this.names.indexOf(name)
    if (key < 0) {
      key = this.names.push(name) - 1
      this.send(frameOf(T.names, { base: key, names: [name] }))
    }
    return { name: key, removed: value === undefined, raw: value === undefined ? new Uint8Array(0) : encode(value) }
  }

  fields(values = {}) { return Object.entries(values).map(([name, value]) => this.field(name, value)) }

  entity({ target, class: kind = 'boat', owner = 0, persistent = false, fields }) {
    return { target, class: kind, owner, persistent, fields: this.fields(fields) }
  }

  content(entities) { return snapshotOf(entities.map((e) => this.entity(e))) }

  snapshot(seq, entities) {
    const content = this.content(entities)
    const frames = [frameOf(T.snapBegin, { seq, size: content.length })]
    for (let at = 0; at < content.length; at += 16384) frames.push(frameOf(T.snapPart, { data: content.subarray(at, at + 16384) }))
    this.send(...frames, frameOf(T.snapEnd, { crc: crc32c(content) }))
  }

  delta(prev, seq, changes) {
    const body = changes.map(([target, fields]) => ({ target, fields: this.fields(fields) }))
    this.send(frameOf(T.delta, { prev, seq, changes: body }))
  }

  spawn(id, options = {}) { this.send(frameOf(T.spawn, { entity: this.entity({ target: id * 4 + 2, ...options }) })) }
  despawn(id) { this.send(frameOf(T.despawn, { target: id * 4 + 2 })) }
  owner(object, owner) { this.send(frameOf(T.owner, { object, owner })) }
  load(transition, changes = {}) { this.send(frameOf(T.load, { transition, uuid: `u${transition}`, name: `scene ${transition}`, seamless: false, ...changes })) }
  activate(transition) { this.send(frameOf(T.activate, { transition })) }
  rpc(call, object, name, args = new Uint8Array(0)) { this.send(frameOf(T.rpc, { call, object, name, args })) }
  result(call, status = 0, value = new Uint8Array(0)) { this.send(frameOf(T.result, { call, status, value })) }
  reject(code, text = '') { this.send(frameOf(T.reject, { code, text, retryAfterMillis: 0 })); this.t.drop(4003, code) }
  bye(code, text = '') { this.send(frameOf(T.bye, { code, text })); this.t.drop(1000) }
}

export const REQUEST = { projectId: 'skiff', buildHash: '1.0' }

/** A world with a client that has joined. */
export function joined({ request = {}, host = {}, entities, world = new World() } = {}) {
  const m = world.manager()
  if (!m.s.joinSession({ ...REQUEST, ...request }, '192.168.1.20')) throw new Error(m.s.lastError)
  const h = new FakeHost(world, host)
  h.auth = h.join(entities)
  m.s.update(0)
  return { world, h, ...m }
}

/** Bytes of a DataStream with one text. */
export function args(text) {
  const d = new DataStream()
  d.writeString(text)
  return d
}
