// Types shared by the modules of the session. What a game sees is in ../../conch.d.ts.

export interface SessionLog {
  error(text: string, ...rest: unknown[]): void
  note(text: string): void
  /** Only written in debug mode. */
  debug(text: string): void
}

/** The game's end of a call and the two ways in which it ends. Both do nothing when it has ended. */
export interface Operation {
  op: any
  succeed(result: unknown): void
  fail(error: string): void
}

/** A frame as it was read: its type, the length of its body, and the fields of that type. */
export type Frame = { type: number, weight: number } & Record<string, any>

/** One field of state on the wire. raw is the value as it was sent, which is what checksums are made of. */
export interface Field {
  /** Position in the connection's table of names. */
  name: number
  removed: boolean
  raw: Uint8Array
  value: any
}

/** A whole GameState, PlayerState or object on the wire. */
export interface Entity {
  target: number
  class: string
  owner: number
  persistent: boolean
  fields: Field[]
}
