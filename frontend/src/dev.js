// The author's play-test: the page's console goes to the terminal, and the page reloads when its files change.

import { Error, EventSource, JSON, String, apply, fetch, listen, setTimeout } from './primitives.js'

const LEVELS = ['debug', 'log', 'info', 'warn', 'error']
const MAX_TEXT = 8000
const MAX_WAITING = 500
const BATCH = 50

/**
 * One console argument as a person reads it.
 * @param {unknown} value
 * @returns {string}
 */
export function show(value) {
  if (value instanceof Error) return String(value.stack || value)
  if (typeof value !== 'object' || value === null) return String(value)
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return '[object]' // cyclic, or its toJSON throws
  }
}

/**
 * Collects lines and sends them together; lines that come while a message is on its way wait for the next.
 * @param {(body: string) => Promise<unknown>} send
 * @returns {(level: string, text: string) => void}
 */
export function createLines(send) {
  /** @type {{level: string, text: string}[]} */
  const waiting = []
  let busy = false
  const flush = () => {
    busy = waiting.length > 0
    if (busy) send(JSON.stringify(waiting.splice(0, BATCH))).then(flush, flush)
  }
  return (level, text) => {
    if (waiting.length < MAX_WAITING) waiting.push({ level, text: text.slice(0, MAX_TEXT) })
    if (!busy) setTimeout(flush, 0)
    busy = true
  }
}

/** @param {any} scope globalThis */
export function develop(scope) {
  const say = createLines((body) => fetch('/__conch/log', { method: 'POST', body, credentials: 'same-origin' }))
  const console = scope.console
  for (const level of LEVELS) {
    const native = console[level]
    console[level] = (/** @type {unknown[]} */ ...args) => {
      say(level, args.map(show).join(' '))
      apply(native, console, args)
    }
  }
  listen(scope, 'error', (event) => {
    if (event.message) say('error', `${event.message} (${event.filename}:${event.lineno})`)
  })
  listen(scope, 'unhandledrejection', (event) => say('error', `unhandled rejection: ${show(event.reason)}`))
  if (!scope.document || scope.top !== scope) return
  new EventSource('/__conch/changes').onmessage = () => scope.location.reload()
}
