// What happened since the last update(), in order. It is bounded: replicated state is thrown away when it is full, since a
// snapshot brings it back, and calls are refused.

const MAX_ITEMS = 4096
const MAX_BYTES = 8 << 20

/**
 * @typedef {'always' | 'keep' | 'state' | 'call'} Kind always: survives the end of its session; keep: is never refused;
 *   state: goes when the box is full
 * @typedef {ReturnType<typeof createMailbox>} Mailbox
 */

export function createMailbox() {
  /** @type {{ kind: Kind, bytes: number, order: number, run: () => void }[]} */
  let items = []
  let head = 0
  let bytes = 0
  let posted = 0

  /** @param {(kind: Kind) => boolean} keep */
  function filter(keep) {
    items = items.slice(head).filter((item) => keep(item.kind))
    head = 0
    bytes = 0
    for (const item of items) bytes += item.bytes
  }

  return {
    /** Whether calls and state are refused now. */
    get full() { return items.length - head >= MAX_ITEMS || bytes > MAX_BYTES },

    /** Whether even what is never refused is too much: nobody well-meaning sends that. */
    get flooded() { return items.length - head >= 2 * MAX_ITEMS },

    /**
     * @param {() => void} run
     * @param {Kind} [kind]
     * @param {number} [size] bytes it holds
     */
    post(run, kind = 'keep', size = 0) {
      items.push({ kind, bytes: size, order: ++posted, run })
      bytes += size
    },

    /** The box is full: replicated state goes. */
    dropState: () => filter((kind) => kind !== 'state'),

    /** The session is over: only what belongs to no session stays. */
    discard: () => filter((kind) => kind === 'always'),

    /** Runs what was there when the call began. */
    drain() {
      const end = posted
      while (head < items.length && items[head].order <= end) {
        const item = items[head++]
        bytes -= item.bytes
        item.run()
      }
      if (head === items.length) items = []
      else items = items.slice(head)
      head = 0
    }
  }
}
