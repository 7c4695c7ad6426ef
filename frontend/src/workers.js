// Workers made from blob: scripts. The server puts the page script in front of the worker files it serves, but it never
// sees a blob: here the script is read, and a blob with one more statement in front takes its place.

import { Blob, Map, Proxy, URL, XMLHttpRequest, apply, baseURL, construct, defineProperty } from './primitives.js'

const { createObjectURL, revokeObjectURL } = URL

/**
 * Wraps Worker and SharedWorker of scope, where they exist.
 * @param {typeof globalThis} scope
 * @param {string} script address of the page script
 */
export function installWorkers(scope, script) {
  /** @type {Map<string, { classic?: string, module?: string }>} replacements by the game's own blob: URL */
  const replaced = new Map()

  for (const name of /** @type {const} */ (['Worker', 'SharedWorker'])) {
    if (typeof scope[name] === 'function') wrap(scope, name, (url, kind) => replacement(replaced, script, url, kind))
  }

  // A replacement lives exactly as long as the game keeps its own URL.
  /** @type {any} */ (scope.URL).revokeObjectURL = new Proxy(revokeObjectURL, {
    apply(target, self, args) {
      const result = apply(target, self, args)
      const entry = replaced.get(`${args[0]}`)
      if (!entry) return result
      replaced.delete(`${args[0]}`)
      if (entry.classic) revokeObjectURL(entry.classic)
      if (entry.module) revokeObjectURL(entry.module)
      return result
    }
  })
}

/**
 * @param {any} scope
 * @param {'Worker' | 'SharedWorker'} name
 * @param {(url: string, kind: 'classic' | 'module') => string} replace
 */
function wrap(scope, name, replace) {
  const Native = scope[name]
  /** @type {any} */
  const Wrapped = new Proxy(Native, {
    construct(/** @type {any} */ target, args, newTarget) {
      const made = newTarget === Wrapped ? target : newTarget
      if (args.length === 0) return construct(target, args, made)
      const [given, options] = args
      const url = `${given}`
      if (!/^\s*blob:/i.test(url)) return construct(target, args, made)
      const kind = options && options.type === 'module' ? 'module' : 'classic'
      return construct(target, [replace(new URL(url, baseURL()).href, kind), ...args.slice(1)], made)
    }
  })
  defineProperty(Native.prototype, 'constructor', { value: Wrapped, writable: true, configurable: true })
  defineProperty(scope, name, { value: Wrapped, writable: true, configurable: true })
}

/**
 * The blob: URL to start instead of url; url itself when anything is in the way.
 * @param {Map<string, { classic?: string, module?: string }>} replaced
 * @param {string} script
 * @param {string} url
 * @param {'classic' | 'module'} kind
 */
function replacement(replaced, script, url, kind) {
  const known = replaced.get(url)?.[kind]
  if (known) return known
  try {
    const source = read(url)
    // a worker that starts itself again has the statement already
    if (source.includes(script)) return url
    const made = createObjectURL(new Blob([withScript(source, script, kind)], { type: 'text/javascript' }))
    const entry = replaced.get(url) || {}
    entry[kind] = made
    replaced.set(url, entry)
    return made
  } catch {
    return url
  }
}

/**
 * Puts the page script in front, on the first line, so that line numbers stay; a script in strict mode stays in it.
 * A classic worker also runs if the page script cannot be had: its sockets are then refused by the page's policy.
 * @param {string} source
 * @param {string} script
 * @param {'classic' | 'module'} kind
 */
export function withScript(source, script, kind) {
  if (kind === 'module') return `import "${script}";${source}`
  return `${isStrict(source) ? '"use strict";' : ''}try{importScripts("${script}")}catch{}${source}`
}

/**
 * Whether the first statement, after space and comments, is the directive.
 * @param {string} source
 */
function isStrict(source) {
  let at = 0
  for (;;) {
    while (at < source.length && source[at].trim() === '') at++
    const end = source.startsWith('//', at) ? '\n' : source.startsWith('/*', at) ? '*/' : ''
    if (!end) break
    const found = source.indexOf(end, at + 2)
    if (found < 0) return false
    at = found + end.length
  }
  return source.startsWith("'use strict'", at) || source.startsWith('"use strict"', at)
}

/**
 * Only the synchronous form will do: the constructor returns a worker, and the game may revoke the URL right after.
 * @param {string} url
 */
function read(url) {
  const request = new XMLHttpRequest()
  request.open('GET', url, false)
  request.overrideMimeType('text/plain; charset=utf-8')
  request.send()
  return request.responseText
}
