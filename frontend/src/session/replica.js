// A client's copy of the state, changed by the host's frames alone.

import { Map, Set } from '../primitives.js'
import { crc32c, equal } from './hash.js'
import { GAME_TARGET, createNode, idOf, playerTarget } from './state.js'
import { OBJECT, PLAYER, snapshotOf } from './wire.js'

/** @import { Node, Store } from './types.d.ts' */

/**
 * A field as a frame carries it, its name looked up.
 * @typedef {{ name: string, key: number, removed: boolean, raw: Uint8Array, value: any }} NamedField
 * @typedef {{ target: number, class: string, owner: number, persistent: boolean, fields: NamedField[] }} NamedEntity
 */

/**
 * @param {Store} store
 * @param {{ appeared: (object: number) => void, removed: (object: number) => void }} listener called when it happens
 */
export function createReplica(store, listener) {
  /** @type {Map<number, Node>} */
  const nodes = new Map()
  /** @type {Map<number, any>} what a game sees */
  const objects = new Map()
  /** @type {Map<number, any>} */
  const players = new Map()
  /** @type {Set<number>} targets whose fields changed since takeChanged */
  const changed = new Set()
  let seq = -1

  /**
   * @param {number} target
   * @param {string} typeName
   * @param {number} owner
   * @param {boolean} persistent
   */
  function add(target, typeName, owner, persistent) {
    const node = createNode(store, target, typeName, owner, persistent)
    nodes.set(target, node)
    if (target % 4 === OBJECT) objects.set(idOf(target), node.view)
    if (target % 4 === PLAYER) players.set(idOf(target), node.view)
    return node
  }

  /** @param {number} target */
  function remove(target) {
    if (!nodes.delete(target)) return
    changed.delete(target)
    if (target % 4 === PLAYER) players.delete(idOf(target))
    if (target % 4 === OBJECT && objects.delete(idOf(target))) listener.removed(idOf(target))
  }

  /**
   * @param {Node} node
   * @param {NamedField[]} fields
   */
  function apply(node, fields) {
    for (const { name, key, removed, raw, value } of fields) {
      const before = node.fields.get(name)
      if (removed ? before : !before || !equal(before.raw, raw)) changed.add(node.target)
      if (removed) node.fields.delete(name)
      else node.fields.set(name, { key, raw, value })
    }
  }

  /**
   * Makes a node what a frame says it is.
   * @param {NamedEntity} entity
   */
  function become(entity) {
    const { target, class: kind, owner, persistent, fields } = entity
    let node = nodes.get(target)
    if (node && node.typeName !== typeName(target, kind)) {
      remove(target)
      node = undefined
    }
    const isNew = !node
    if (!node) node = add(target, typeName(target, kind), owner, persistent)
    const before = node.fields
    node.fields = new Map()
    for (const { name, key, raw, value } of fields) node.fields.set(name, { key, raw, value })
    if (isNew || node.owner !== owner || !same(before, node.fields)) changed.add(target)
    node.owner = owner
    node.persistent = persistent
    if (!isNew || target % 4 !== OBJECT) return
    changed.delete(target)
    listener.appeared(idOf(target))
  }

  add(GAME_TARGET, 'GameState', 0, false)

  return {
    objects,
    players,
    get seq() { return seq },
    get gameState() { return nodes.get(GAME_TARGET)?.view },
    /** @param {number} connection */
    playerState: (connection) => nodes.get(playerTarget(connection))?.view,

    /**
     * @param {number} at
     * @param {NamedEntity[]} entities
     */
    snapshot(at, entities) {
      const kept = new Set([GAME_TARGET])
      become({ target: GAME_TARGET, class: '', owner: 0, persistent: false, fields: [], ...entities.find((e) => e.target === GAME_TARGET) })
      for (const { target } of entities) kept.add(target)
      for (const target of [...nodes.keys()]) if (!kept.has(target)) remove(target)
      for (const entity of entities) if (entity.target !== GAME_TARGET) become(entity)
      seq = at
    },

    /**
     * @param {{ prev: number, seq: number, changes: { target: number, fields: NamedField[] }[] }} delta
     * @returns {boolean} false when it is not about the state that is here
     */
    delta({ prev, seq: next, changes }) {
      if (prev !== seq) return false
      for (const { target, fields } of changes) {
        const node = nodes.get(target) || (target % 4 === PLAYER ? add(target, 'PlayerState', 0, false) : undefined)
        if (node) apply(node, fields)
      }
      seq = next
      return true
    },

    /** @param {NamedEntity} entity */
    spawn(entity) {
      remove(entity.target)
      become(entity)
    },

    /** @param {number} target */
    despawn: remove,

    /**
     * @param {number} target
     * @param {number} owner
     */
    setOwner(target, owner) {
      const node = nodes.get(target)
      if (!node || node.owner === owner) return
      node.owner = owner
      changed.add(target)
    },

    /** @param {boolean} keepPersistent */
    dropObjects(keepPersistent) {
      for (const node of [...nodes.values()]) {
        if (node.target % 4 === OBJECT && !(keepPersistent && node.persistent)) remove(node.target)
      }
    },

    /** CRC-32C over the content of a snapshot of all that is here. */
    checksum() {
      const all = [...nodes.values()].sort((a, b) => a.target - b.target).map((node) => ({
        target: node.target, class: node.typeName, owner: node.owner, persistent: node.persistent,
        fields: [...node.fields.values()].sort((a, b) => a.key - b.key)
          .map(({ key, raw }) => ({ name: key, removed: false, raw, value: null }))
      }))
      return crc32c(snapshotOf(all))
    },

    /** The targets that changed since the last call. */
    takeChanged() {
      const all = [...changed]
      changed.clear()
      return all
    }
  }
}

/**
 * @param {number} target
 * @param {string} kind
 */
function typeName(target, kind) {
  return target % 4 === OBJECT ? kind : target % 4 === PLAYER ? 'PlayerState' : 'GameState'
}

/**
 * @param {Map<string, { raw: Uint8Array }>} a
 * @param {Map<string, { raw: Uint8Array }>} b
 */
function same(a, b) {
  if (a.size !== b.size) return false
  for (const [name, { raw }] of a) {
    const other = b.get(name)
    if (!other || !equal(raw, other.raw)) return false
  }
  return true
}
