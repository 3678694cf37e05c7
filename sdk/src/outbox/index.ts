export type { PayloadEntry } from '../client/entries.ts'
export type { Bookmark } from './bookmark.ts'
export type { CatchFields, NewCatch, NewCrab, NewFish } from './catches.ts'
export type { SetAsideNotice } from './delivery.ts'
export {
  BookmarkMovedError,
  isBookmarkMovedError,
  isOutboxFullError,
  isOutboxStoreError,
  OutboxClosedError,
  OutboxFullError,
  OutboxStoreError,
  type OutboxStoreErrorCode,
} from './errors.ts'
export type { OutboxEvent, OutboxListener } from './events.ts'
export type { FlushProgress, FlushReport, StoppedCollection } from './flush-report.ts'
export { openOutbox } from './open-outbox.ts'
export type { OutboxClient, OutboxOptions } from './options.ts'
export type {
  CancelOptions,
  FlushOptions,
  Outbox,
  OutboxAdded,
  OutboxAddOptions,
  OutboxStatus,
  SetAsideBatch,
} from './outbox.ts'
export type {
  Addition,
  AddOutcome,
  AddRequest,
  Awaitable,
  CancelOutcome,
  CancelRequest,
  Collection,
  CollectionCounts,
  Head,
  Holder,
  Lease,
  LeaseOutcome,
  OutboxStore,
  ServiceBinding,
  SetAsideReason,
  StoredBatch,
  StoredCatch,
} from './store.ts'
export { memoryStore } from './stores/memory-store.ts'
export { sqliteStore } from './stores/sqlite-store.ts'
