import { brand, FishCrabError } from '../errors/fish-crab-error.ts'

/**
 * The outbox holds as many catches as `maxCatches` allows; nothing of this `add` was kept. Flush, or drop what was set
 * aside. `code` is `outbox_full`.
 */
export class OutboxFullError extends FishCrabError {
  static {
    brand(OutboxFullError, 'OutboxFullError')
  }
  /** Most catches the outbox may hold. */
  readonly maxCatches: number

  constructor(maxCatches: number) {
    super(`The outbox may hold ${maxCatches} catches, and these would be more; none of them was kept.`, {
      code: 'outbox_full',
      hint: 'Flush it, drop what was set aside, or raise maxCatches.',
    })
    this.maxCatches = maxCatches
  }
}

/**
 * The checkpoint of an `add` is not what was expected: somebody else has moved it. Nothing of this `add` was kept. Read
 * it again. `code` is `bookmark_moved`.
 */
export class CheckpointMovedError extends FishCrabError {
  static {
    brand(CheckpointMovedError, 'CheckpointMovedError')
  }

  constructor() {
    super('Somebody else has moved the checkpoint, and nothing was kept.', {
      code: 'bookmark_moved',
      hint: 'Read the checkpoint again, and go on from there.',
    })
  }
}

/** The outbox was closed, or is being closed. What it holds stays on disk. `code` is `outbox_closed`. */
export class OutboxClosedError extends FishCrabError {
  static {
    brand(OutboxClosedError, 'OutboxClosedError')
  }

  constructor() {
    super('The outbox is closed. What it holds is kept.', { code: 'outbox_closed', hint: 'Open it again.' })
  }
}

/** What is wrong with the store of an outbox. */
export type OutboxStoreErrorCode =
  | 'outbox_newer'
  | 'outbox_other_service'
  | 'outbox_damaged'
  | 'outbox_disk_full'
  | 'outbox_not_writable'
  | 'outbox_busy'
  | 'outbox_gone'
  | 'outbox_unavailable'

/**
 * The store of the outbox cannot be used. What was asked for did not happen, and what it holds was not changed.
 *
 * - `outbox_newer`: a newer version of this package wrote it. Update this one.
 * - `outbox_other_service`: it holds the catches of another service. Choose another path, or use a client of that one.
 * - `outbox_damaged`: the file is damaged, or is no outbox. Move it away, or choose another path.
 * - `outbox_disk_full`: free some space.
 * - `outbox_not_writable`: check owner and mode of the file and its folder.
 * - `outbox_gone`: the file was deleted or replaced while it was open. Open the outbox again.
 * - `outbox_busy`: another process held the file for too long. Try again.
 * - `outbox_unavailable`: anything else; see `cause`. Also where the runtime has no `node:sqlite`.
 */
export class OutboxStoreError extends FishCrabError {
  static {
    brand(OutboxStoreError, 'OutboxStoreError')
  }
  declare readonly code: OutboxStoreErrorCode

  constructor(code: OutboxStoreErrorCode, summary: string, fields: { hint?: string; cause?: unknown } = {}) {
    super(summary, { ...fields, code })
  }
}
