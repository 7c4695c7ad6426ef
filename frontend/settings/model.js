// What the settings page shows, made from what the program says: words and order, no document.

/**
 * One approval, as `conch approvals list --json` prints it.
 * @typedef {{ game: string, kind: string, name: string, host: string, since: string, protection: string }} Approval
 *
 * @typedef {object} List
 * @property {Approval[]} approvals
 * @property {string[]} running identities of the games that run now, as far as they are known
 * @property {string[]} aside files that could not be used and were kept
 *
 * @typedef {object} Game
 * @property {string} id
 * @property {string} name
 * @property {string} who who this game is, in words
 * @property {string} mark the part of its identity that tells it from others of its name
 * @property {boolean} running
 * @property {string[]} guard sentences about what protects the answers
 * @property {{ host: string, what: string, since: string }[]} hosts what: what it is allowed there, '' for connecting
 */

/** What a yes that is not for connecting to a host is for. @type {Record<string, string>} */
const WHAT = { join: 'Join a game at ', host: 'Let people join over ' }

/**
 * @param {List} list
 * @returns {Game[]} in the order of the list
 */
export function gamesOf(list) {
  /** @type {Map<string, Game>} */
  const games = new Map()
  for (const a of list.approvals) {
    let game = games.get(a.game)
    if (!game) {
      game = { id: a.game, name: a.name || 'A game without a name', ...identity(a.game), running: list.running.includes(a.game), guard: [], hosts: [] }
      games.set(a.game, game)
    }
    game.hosts.push({ host: a.host, what: WHAT[a.kind] || '', since: a.since })
    const sentence = guard(a.protection)
    if (!game.guard.includes(sentence)) game.guard.push(sentence)
  }
  return [...games.values()]
}

/**
 * Who a game is: "key:FINGERPRINT:ID" of a signed one, "sha256:DIGEST" of another.
 * @param {string} game
 */
export function identity(game) {
  const [kind, mark, ...id] = game.split(':')
  if (kind === 'key') return { who: `Signed by its author as ${id.join(':')}. Your answers hold for every version signed with this key:`, mark }
  if (kind === 'sha256') return { who: 'Not signed. Your answers hold for exactly these files; when they change, the game asks again:', mark }
  return { who: 'A game of an unknown kind:', mark: game }
}

/** @param {string} protection */
export function guard(protection) {
  if (protection === 'system keychain') return "Protected by the system's keychain."
  const text = protection.charAt(0).toLowerCase() + protection.slice(1)
  return `Protected by: ${text}.`
}

/** @param {string[]} files */
export function asideText(files) {
  if (files.length === 0) return ''
  return `A list of answers could not be read, so it was put aside and nothing in it counts: ${files.join(', ')}. Games ask again about its hosts.`
}
