/** A place to remember, under a name: how far a log was read, for one. */
export interface Checkpoint {
  /** 1 to 512 characters. */
  readonly name: string
  readonly value: string
  /**
   * What the checkpoint must be until now, `null` for none: so one writer at a time goes on from a place, and one that
   * was overtaken adds nothing. @default anything
   */
  readonly expected?: string | null | undefined
}
