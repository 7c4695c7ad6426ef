/**
 * What outlives the game. Name, colour and best scores are in localStorage; settings and the ghost of
 * the best run alone are in IndexedDB. Where the browser keeps nothing, the game keeps it in memory.
 */

const memory = new Map()

function read(key) {
  try {
    return localStorage.getItem(key) ?? memory.get(key) ?? null
  } catch {
    return memory.get(key) ?? null
  }
}

function write(key, value) {
  memory.set(key, value)
  try {
    localStorage.setItem(key, value)
  } catch { /* private mode, full disk: memory has it */ }
}

export function loadPlayer() {
  let saved = {}
  try {
    saved = JSON.parse(read('skiff.player') ?? '{}') ?? {}
  } catch { /* somebody else's text: start anew */ }
  const name = typeof saved.name === 'string' ? saved.name.slice(0, 16) : ''
  const color = Number.isInteger(saved.color) && saved.color >= 0 && saved.color < 8 ? saved.color : 0
  return { name, color, best: Number(read('skiff.best')) || 0, bestRound: Number(read('skiff.round')) || 0 }
}

export function savePlayer(player) {
  write('skiff.player', JSON.stringify({ name: player.name, color: player.color }))
  write('skiff.best', String(player.best))
  write('skiff.round', String(player.bestRound))
}

/** @type {Promise<IDBDatabase | null> | undefined} */
let opening

function database() {
  opening ??= new Promise((resolve) => {
    if (typeof indexedDB === 'undefined') return resolve(null)
    const request = indexedDB.open('skiff', 1)
    request.onupgradeneeded = () => {
      request.result.createObjectStore('settings')
      request.result.createObjectStore('ghosts')
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = request.onblocked = () => resolve(null)
  }).catch(() => null)
  return opening
}

async function get(store, key) {
  const db = await database()
  if (!db) return memory.get(store + '/' + key)
  return new Promise((resolve) => {
    const request = db.transaction(store).objectStore(store).get(key)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => resolve(undefined)
  })
}

async function put(store, key, value) {
  memory.set(store + '/' + key, value)
  const db = await database()
  if (!db) return
  await new Promise((resolve) => {
    const change = db.transaction(store, 'readwrite')
    change.objectStore(store).put(value, key)
    change.oncomplete = change.onerror = change.onabort = () => resolve(undefined)
  })
}

/** @returns {Promise<{sound: boolean}>} */
export async function loadSettings() { return { sound: true, ...(await get('settings', 'all')) } }

export function saveSettings(settings) { return put('settings', 'all', settings) }

/** @typedef {{score: number, path: Uint16Array}} Ghost x, y in 1/16 unit and heading in 1/65536 turn, ten a second */

/** @returns {Promise<Ghost | undefined>} */
export async function loadGhost() {
  const ghost = await get('ghosts', 'best')
  return ghost?.path instanceof Uint16Array && ghost.path.length >= 6 ? ghost : undefined
}

/** @param {Ghost} ghost */
export function saveGhost(ghost) { return put('ghosts', 'best', ghost) }
