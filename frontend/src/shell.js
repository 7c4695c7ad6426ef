// What a game's window does not want of a browser: reload and find keys, zoom, the page menu, dragging pictures out.
// Events are only stripped of the browser's own action, and only after the game saw them.

import { defineProperty, listen } from './primitives.js'

const KEYS = /^F[357]$/
const CTRL_KEYS = /^(?:[rpufs]|[-+=0]|Key[RPUFS]|Equal|Minus|Digit0|Numpad(?:0|Add|Subtract))$/

/**
 * @param {Window & typeof globalThis} window
 * @param {boolean} debug leaves the page menu, which leads to the developer tools
 */
export function installShell(window, debug) {
  listen(window, 'keydown', (event) => { if (isBrowserKey(event)) event.preventDefault() })
  listen(window, 'wheel', (event) => { if (event.ctrlKey) event.preventDefault() }, { passive: false })
  listen(window, 'contextmenu', (event) => { if (!debug && !isEditable(event.target)) event.preventDefault() })
  listen(window, 'dragstart', (event) => { if (isStrayDrag(event)) event.preventDefault() })
  fillGaps(window)
}

/** @param {KeyboardEvent} event */
export function isBrowserKey(event) {
  if (KEYS.test(event.key)) return true
  // AltGr is Ctrl+Alt and types letters
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false
  return CTRL_KEYS.test(event.key.toLowerCase()) || CTRL_KEYS.test(event.code)
}

/** @param {any} target */
function isEditable(target) {
  return Boolean(target && (target.isContentEditable || /^(?:INPUT|TEXTAREA)$/.test(target.tagName)))
}

/**
 * A picture or link dragged by accident: not one that the game made draggable or prepared in its handler.
 * @param {DragEvent} event
 */
function isStrayDrag(event) {
  const target = /** @type {any} */ (event.target)
  if (!target || !/^(?:IMG|A)$/.test(target.tagName)) return false
  if (target.closest('[draggable=true]')) return false
  return !event.dataTransfer || event.dataTransfer.effectAllowed === 'uninitialized'
}

/**
 * Members that games take for granted and some engines lack or prefix.
 * @param {any} window
 */
function fillGaps({ navigator, Element, Document }) {
  if (!navigator.getGamepads) define(navigator, 'getGamepads', { value: () => [], writable: true })
  const { webkitRequestFullscreen } = Element.prototype
  if (Element.prototype.requestFullscreen || !webkitRequestFullscreen) return
  define(Element.prototype, 'requestFullscreen', { value: webkitRequestFullscreen, writable: true })
  define(Document.prototype, 'exitFullscreen', { value: Document.prototype.webkitExitFullscreen, writable: true })
  define(Document.prototype, 'fullscreenElement', {
    get() { return /** @type {any} */ (this).webkitFullscreenElement }
  })
}

/**
 * @param {object} holder
 * @param {string} name
 * @param {PropertyDescriptor} descriptor
 */
function define(holder, name, descriptor) {
  defineProperty(holder, name, { configurable: true, ...descriptor })
}
