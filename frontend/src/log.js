// What the page script writes to the console. Queries of URLs stay out of it: they may carry tokens.

import { console } from './primitives.js'

/** @import { Config, Log } from './types.d.ts' */

/**
 * @param {Pick<Config, 'debug'>} config
 * @param {Pick<Console, 'error' | 'warn' | 'info'>} [out]
 * @returns {Log}
 */
export function createLog(config, out = console) {
  return {
    debugging: config.debug,
    error: (owner, ...rest) => out.error(`net [${owner}]`, ...rest),
    note: (owner, text) => out.warn(`net [${owner}] ${text}`),
    debug: (owner, text) => { if (config.debug) out.info(`net [${owner}] ${text}`) }
  }
}

/** @param {URL} url */
export function shown(url) {
  return `${url.protocol}//${url.host}${url.pathname}`
}

/**
 * @param {number} code
 * @param {string} reason
 */
export function closing(code, reason) {
  return reason ? `${code} ${reason}` : `${code}`
}
