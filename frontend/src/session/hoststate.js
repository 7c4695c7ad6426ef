// The state of a session on its host's page, which is its one author: what it writes is here at once, and told.

import { Error, Map, Object, Set, TypeError } from '../primitives.js'
import { decode, encode } from './cbor.js'
import { GAME_TARGET, createNode, idOf, objectTarget, playerTarget } from './state.js'
import { utf8 } from './stream.js'
import { OBJECT } from './wire.js'

/** @import { Change, Node } from './types.d.ts' */

const HOST = 1

/** @typedef {[name: string, raw: Uint8Array][]} Fields */

/**
 * @param {{ sessionId: string, isActive: () => boolean, isPeer: (id: number) => boolean, say: (...command: any[]) => void }} parts
 */
export function createHostState({ sessionId, isActive, isPeer, say }) {
  /** @type {Map<number, Node>} */
  const nodes = new Map()
  /** @type {Map<number, any>} what a game sees */
  const objects = new Map()
  /** @type {Map<number, any>} */
  const players = new Map()
  /** @type {Set<number>} objects that go with their owner */
  const withOwner = new Set()
  let lastObject = 0

  const store = {
    sessionId,
    localConnectionId: HOST,
    get writable() { return isActive() },
    /** @type {(node: Node, name: string, raw: Uint8Array | null) => void} */
    changed: (node, name, raw) => { if (nodes.get(node.target) === node) say('set', node.target, name, raw) }
  }
  const game = createNode(store, GAME_TARGET, 'GameState', 0, false)
  nodes.set(GAME_TARGET, game)

  /** @param {number} id */
  function player(id) {
    const target = playerTarget(id)
    const node = nodes.get(target) || createNode(store, target, 'PlayerState', 0, false)
    nodes.set(target, node)
    players.set(id, node.view)
    return node
  }

  /**
   * @param {number} target
   * @param {string} kind
   * @param {number} owner
   * @param {boolean} persistent
   * @param {boolean} goes with its owner
   */
  function object(target, kind, owner, persistent, goes) {
    const node = createNode(store, target, kind, owner, persistent)
    const id = idOf(target)
    nodes.set(target, node)
    objects.set(id, node.view)
    if (goes) withOwner.add(id)
    if (id > lastObject) lastObject = id
    return node
  }

  /** @param {number} target */
  function removeObject(target) {
    const id = idOf(target)
    withOwner.delete(id)
    objects.delete(id)
    return nodes.delete(target)
  }

  /** @param {number} target */
  function despawn(target) {
    if (removeObject(target)) say('despawn', idOf(target))
  }

  /**
   * Fields as the launcher has them; what the page wrote since is newer.
   * @param {Node} node
   * @param {Fields} fields
   */
  function fill(node, fields) {
    for (const [name, raw] of fields) if (!node.fields.has(name)) node.fields.set(name, { key: 0, raw, value: decode(raw) })
  }

  function needActive() {
    if (!isActive()) throw new Error('the session is over')
  }

  /** @param {unknown} id */
  function ownerId(id) {
    if (id === undefined || id === 0 || id === HOST || isPeer(/** @type {number} */ (id))) return /** @type {number} */ (id || 0)
    throw new TypeError(`no peer ${id} in the session`)
  }

  /** @type {Change} */
  const change = {
    spawn(type, props, options) {
      needActive()
      const length = typeof type === 'string' ? utf8(type).length : 0
      if (length === 0 || length > 128) throw new TypeError('spawn: the type of an object is a text of 1 to 128 bytes')
      const { owner, persistent = false, despawnWithOwner = false, private: hidden = false } = options || {}
      const to = ownerId(owner)
      const fields = fieldsOf(props || {})
      const id = lastObject + 1
      const node = object(objectTarget(id), /** @type {string} */ (type), to, Boolean(persistent), Boolean(despawnWithOwner))
      fill(node, fields)
      say('spawn', id, type, to, node.persistent, withOwner.has(id), Boolean(hidden), fields)
      return node.view
    },

    despawn(id) {
      needActive()
      despawn(objectTarget(/** @type {number} */ (id)))
    },

    setOwner(id, connection) {
      needActive()
      const node = nodes.get(objectTarget(/** @type {number} */ (id)))
      if (!node) throw new TypeError(`no object ${id} in the session`)
      node.owner = ownerId(connection)
      say('owner', id, node.owner)
    }
  }

  return {
    game,
    objects,
    players,
    change,

    /** One entity of an earlier page, or of an earlier run of the program. @param {any[]} entity */
    restore([target, fields, kind, owner, persistent, goes]) {
      if (target % 4 !== OBJECT) fill(target === GAME_TARGET ? game : player(idOf(target)), fields)
      else if (!nodes.has(target)) fill(object(target, kind, owner, persistent, goes), fields)
    },

    /**
     * @param {number} id
     * @param {Fields} fields
     */
    addPlayer(id, fields) { fill(player(id), fields) },

    /** @param {number} id */
    removePlayer(id) {
      players.delete(id)
      nodes.delete(playerTarget(id))
    },

    /** The objects of a peer that has left go with it, or become the host's. @param {number} id */
    orphan(id) {
      for (const node of [...nodes.values()]) {
        if (node.target % 4 !== OBJECT || node.owner !== id) continue
        if (withOwner.has(idOf(node.target))) {
          despawn(node.target)
        } else {
          node.owner = HOST
          say('owner', idOf(node.target), HOST)
        }
      }
    },

    /** All objects go. */
    clear() { for (const id of [...objects.keys()]) despawn(objectTarget(id)) },

    /** The host does the same with its own. @param {boolean} keepPersistent */
    leaveScene(keepPersistent) {
      needActive()
      for (const node of [...nodes.values()]) {
        if (node.target % 4 === OBJECT && !(keepPersistent && node.persistent)) removeObject(node.target)
      }
    }
  }
}

/**
 * What a game gives as fields of a state: a plain object, or a Resource.
 * @param {any} given
 * @returns {Fields}
 */
export function fieldsOf(given) {
  const isResource = typeof given.names === 'function' && typeof given.get === 'function'
  const names = isResource ? given.names() : Object.keys(given)
  /** @type {Fields} */
  const fields = []
  for (const name of names) {
    if (utf8(name).length > 128 || name === '') throw new TypeError('state: a name has 1 to 128 bytes')
    fields.push([name, encode(isResource ? given.get(name) : given[name])])
  }
  return fields
}
