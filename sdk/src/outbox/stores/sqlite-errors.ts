import { OutboxStoreError, type OutboxStoreErrorCode } from '../errors.ts'

type Advice = readonly [code: OutboxStoreErrorCode, summary: string, hint: string]

const BUSY: Advice = ['outbox_busy', 'Another process holds the file of the outbox for too long.', 'Try again.']
const NOT_WRITABLE: Advice = [
  'outbox_not_writable',
  'The file of the outbox cannot be written.',
  'Check owner and mode of it and its folder.',
]
const DAMAGED: Advice = [
  'outbox_damaged',
  'The file of the outbox is damaged, or is no outbox.',
  'Move it away, or choose another path.',
]
const FULL: Advice = ['outbox_disk_full', 'The disk of the outbox is full; nothing was changed.', 'Free some space.']
const OTHER: Advice = [
  'outbox_unavailable',
  'The store of the outbox does not work; nothing was changed.',
  'See cause.',
]

// Primary result codes of SQLite (https://sqlite.org/rescode.html) and error codes of the system.
const ADVICE = /* @__PURE__ */ new Map<unknown, Advice>([
  [5, BUSY],
  [8, NOT_WRITABLE],
  [11, DAMAGED],
  [13, FULL],
  [14, NOT_WRITABLE],
  [26, DAMAGED],
  ['EACCES', NOT_WRITABLE],
  ['EPERM', NOT_WRITABLE],
  ['EROFS', NOT_WRITABLE],
  ['ENOTDIR', NOT_WRITABLE],
  ['EISDIR', NOT_WRITABLE],
  ['EEXIST', NOT_WRITABLE],
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
])

/** SQLite's primary result code of an error that came from it. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined
  return error.errcode & 0xff
}

/** Names what went wrong below and says what to do; the error itself becomes the cause. */
export function toStoreError(error: unknown): OutboxStoreError {
  if (error instanceof OutboxStoreError) return error
  const systemCode = error instanceof Error && 'code' in error ? error.code : undefined
  const [code, summary, hint] = ADVICE.get(sqliteCode(error) ?? systemCode) ?? OTHER
  return new OutboxStoreError(code, summary, { hint, cause: error })
}

/** The file that is open is no longer the one at its path. */
export function goneError(): OutboxStoreError {
  return new OutboxStoreError('outbox_gone', 'The file of the outbox was deleted or replaced while it was open.', {
    hint: 'Nothing more is taken into it. Open the outbox again.',
  })
}
