/** Every sound is made here, from oscillators and noise. */

export class Sound {
  constructor() {
    this.on = true
    this.ready = null
  }

  /** Starts the sound; a browser may hold it back until the player has touched something. */
  start() {
    if (this.ready || typeof AudioContext === 'undefined') return
    const a = new AudioContext()
    const out = a.createGain()
    out.gain.value = this.on ? 0.55 : 0
    out.connect(a.destination)
    const noise = a.createBuffer(1, a.sampleRate * 4, a.sampleRate)
    const data = noise.getChannelData(0)
    for (let i = 0; i < data.length; i++) data[i] = Math.random() * 2 - 1
    this.ready = { a, out, noise }
    this.surf(0.055, 420, 0.13)
    this.surf(0.03, 900, 0.21)
    for (const event of ['pointerdown', 'keydown']) addEventListener(event, () => a.resume(), { once: true })
  }

  setOn(on) {
    this.on = on
    if (!this.ready) return
    const { a, out } = this.ready
    out.gain.setTargetAtTime(on ? 0.55 : 0, a.currentTime, 0.05)
  }

  /** Noise through a low filter that breathes: the sea. */
  surf(level, pitch, slow) {
    const { a, out, noise } = this.ready
    const source = new AudioBufferSourceNode(a, { buffer: noise, loop: true, loopEnd: 4, playbackRate: 0.7 + slow })
    const filter = new BiquadFilterNode(a, { type: 'lowpass', frequency: pitch })
    const gain = new GainNode(a, { gain: level })
    const breath = new OscillatorNode(a, { frequency: slow })
    const depth = new GainNode(a, { gain: level * 0.7 })
    source.connect(filter).connect(gain).connect(out)
    breath.connect(depth).connect(gain.gain)
    source.start()
    breath.start()
  }

  tone(frequency, { at = 0, length = 0.3, level = 0.16, type = 'sine', slide = 1 } = {}) {
    if (!this.ready || !this.on) return
    const { a, out } = this.ready
    const t = a.currentTime + at
    const o = new OscillatorNode(a, { type, frequency })
    const g = new GainNode(a, { gain: 0 })
    o.frequency.exponentialRampToValueAtTime(frequency * slide, t + length)
    g.gain.setValueAtTime(0.0001, t)
    g.gain.exponentialRampToValueAtTime(level, t + 0.012)
    g.gain.exponentialRampToValueAtTime(0.0001, t + length)
    o.connect(g).connect(out)
    o.start(t)
    o.stop(t + length + 0.02)
  }

  hiss({ length = 0.5, from = 400, to = 2400, level = 0.14 } = {}) {
    if (!this.ready || !this.on) return
    const { a, out, noise } = this.ready
    const t = a.currentTime
    const source = new AudioBufferSourceNode(a, { buffer: noise })
    const filter = new BiquadFilterNode(a, { type: 'bandpass', Q: 0.9, frequency: from })
    const g = new GainNode(a, { gain: 0 })
    filter.frequency.exponentialRampToValueAtTime(to, t + length)
    g.gain.setValueAtTime(0.0001, t)
    g.gain.exponentialRampToValueAtTime(level, t + length * 0.25)
    g.gain.exponentialRampToValueAtTime(0.0001, t + length)
    source.connect(filter).connect(g).connect(out)
    source.start(t, Math.random() * 2, length + 0.1)
  }

  /** Higher with every buoy of a row. */
  take(combo, gold) {
    const root = 392 * 2 ** ([0, 0, 2, 4, 7, 9][combo] / 12)
    this.tone(root, { length: 0.5, type: 'triangle' })
    this.tone(root * 1.5, { at: 0.07, length: 0.6, type: 'triangle', level: 0.12 })
    this.hiss({ length: 0.25, from: 900, to: 500, level: 0.08 })
    if (gold) [2, 2.5, 3].forEach((k, n) => this.tone(root * k, { at: 0.14 + n * 0.07, length: 0.7, level: 0.08 }))
  }
  gust() { this.hiss({ length: 0.9, from: 300, to: 1900, level: 0.22 }) }
  bump() {
    this.tone(95, { length: 0.22, level: 0.3, slide: 0.5 })
    this.hiss({ length: 0.16, from: 500, to: 180, level: 0.15 })
  }
  horn() {
    for (const f of [147, 185]) this.tone(f, { length: 0.8, level: 0.06, type: 'sawtooth', slide: 0.98 })
  }
  blip() { this.tone(660, { length: 0.12, level: 0.07, type: 'triangle', slide: 1.3 }) }
  over() { [0, 4, 7, 12].forEach((k, n) => this.tone(330 * 2 ** (k / 12), { at: n * 0.13, length: 0.9, type: 'triangle', level: 0.12 })) }
}
