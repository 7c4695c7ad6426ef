/** The list of servers, and a socket to each of them that measures the way there. */

import { pingFrame, pingTime } from './protocol.js'

/**
 * @typedef {object} Harbour
 * @property {string} name
 * @property {string} note
 * @property {string} host as the player reads it
 * @property {string} url of the game endpoint
 * @property {string} pingURL
 */

function harbour(name, note, scheme, host, room) {
  const query = room ? '?room=' + room : ''
  return { name, note, host: (scheme === 'ws' ? 'ws://' : '') + host, url: `${scheme}://${host}/ws${query}`, pingURL: `${scheme}://${host}/ping${query}` }
}

const OWN = [
  harbour('Home Harbour', 'over TLS', 'wss', 'localhost:8443', 'harbour'),
  harbour('Regatta Bay', 'room two', 'wss', '127.0.0.1:8443', 'regatta'),
  harbour('Old Jetty', 'without TLS', 'ws', 'localhost:8480', 'harbour'),
]

/**
 * The game's own harbours, and whatever else the author's list names.
 * @param {string[]} allowed patterns of net.allowedHosts(), none in a plain browser
 * @returns {Harbour[]}
 */
export function harbours(allowed) {
  const known = new Set(OWN.map((h) => h.host.replace('ws://', '')))
  const others = allowed.filter((p) => !p.includes('*') && !known.has(p))
  return OWN.concat(others.map((p) => harbour(p, 'from the list of hosts', 'wss', p, '')))
}

const EVERY = 2000 // milliseconds between two pings
const AGAIN = 4000 // until a harbour that did not answer is asked again

/** Keeps one socket to one harbour open while the list is shown. */
export class Pinger {
  /** @param {import('./net.js').Net} net @param {Harbour} harbour @param {(p: Pinger) => void} changed called from the constructor too */
  constructor(net, harbour, changed) {
    Object.assign(this, { net, harbour, changed })
    this.ms = null
    this.history = []
    this.info = null // {boats, crew, max, left}
    this.error = ''
    this.open()
  }

  open() {
    try {
      this.sock = this.net.connect(this.harbour.pingURL)
    } catch (err) { // a host that nobody allowed: asking again would not help
      this.error = err.message
      this.changed(this)
      return
    }
    const sock = this.sock
    sock.onOpen = () => {
      this.error = ''
      this.ask()
    }
    sock.onMessage = (data) => {
      if (typeof data === 'string') this.info = JSON.parse(data)
      else this.answered(performance.now() - pingTime(data))
      this.changed(this)
    }
    sock.onError = (message) => { this.error = message }
    sock.onClose = (code, reason) => {
      if (this.sock !== sock) return
      this.ms = this.info = null
      this.error ||= reason || `closed (${code})`
      this.changed(this)
      this.timer = setTimeout(() => this.open(), AGAIN)
    }
  }

  ask() {
    if (this.sock?.readyState !== 'open') return
    this.sock.send(pingFrame(performance.now()))
    this.timer = setTimeout(() => this.ask(), EVERY)
  }

  answered(ms) {
    this.history.push(ms)
    if (this.history.length > 5) this.history.shift()
    this.ms = Math.min(...this.history) // the way itself; what is above it is waiting
  }

  close() {
    clearTimeout(this.timer)
    const sock = this.sock
    this.sock = null
    if (sock && sock.readyState !== 'closed') sock.close()
  }
}
