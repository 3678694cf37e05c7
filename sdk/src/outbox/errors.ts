import { FishCrabError } from '../errors/fish-crab-error.ts'

/**
 * The catches would exceed `maxCatches`, so `add` added nothing. Flush the outbox, or drop dead letters. `code` is
 * `outbox_full`.
 *
 * @example
 * try {
 *   await outbox.add({ kind: 'crab' })
 * } catch (error) {
 *   if (error instanceof OutboxFullError) await outbox.flush()
 *   else throw error
 * }
 */
export class OutboxFullError extends FishCrabError {
  static override get name(): string {
    return 'OutboxFullError'
  }
  /** The option `maxCatches`. */
  readonly maxCatches: number

  constructor(maxCatches: number) {
    super(`The outbox is full (maxCatches is ${maxCatches}). Nothing was added.`, {
      code: 'outbox_full',
      hint: 'Flush it, drop dead letters, or raise maxCatches.',
    })
    this.maxCatches = maxCatches
  }
}

/** The outbox is closed or closing. The catches in the outbox stay on disk. `code` is `outbox_closed`. */
export class OutboxClosedError extends FishCrabError {
  static override get name(): string {
    return 'OutboxClosedError'
  }

  constructor() {
    super('The outbox is closed.', { code: 'outbox_closed', hint: 'Open it again.' })
  }
}

/** The `code` of an {@link OutboxStoreError}. */
export type OutboxStoreErrorCode =
  | 'outbox_other_version'
  | 'outbox_other_service'
  | 'outbox_damaged'
  | 'outbox_disk_full'
  | 'outbox_not_writable'
  | 'outbox_busy'
  | 'outbox_unavailable'

/**
 * The store of the outbox failed. The operation did not happen, and the store is unchanged.
 *
 * - `outbox_other_version`: another version of this package wrote the file. Send the catches in the file with that version, or move
 *   the file away.
 * - `outbox_other_service`: the file belongs to a service other than the client's. Choose another path, or use a client
 *   for the service of the file.
 * - `outbox_damaged`: the file is damaged or not an outbox. Move the file away, or choose another path.
 * - `outbox_disk_full`: the disk is full. Free some space.
 * - `outbox_not_writable`: check the owner and mode of the file and its folder.
 * - `outbox_busy`: another process locks the file. Try again.
 * - `outbox_unavailable`: the runtime has no `node:sqlite`, or another problem occurred. See `cause`.
 *
 * @example
 * if (error instanceof OutboxStoreError && error.code === 'outbox_disk_full') showStatus(error.message)
 */
export class OutboxStoreError extends FishCrabError {
  static override get name(): string {
    return 'OutboxStoreError'
  }
  declare readonly code: OutboxStoreErrorCode

  constructor(code: OutboxStoreErrorCode, summary: string, fields: { hint?: string; cause?: unknown } = {}) {
    super(summary, { ...fields, code })
  }
}
