export type { PayloadEntry } from '../client/entries.ts'
export type { CatchFields, NewCatch, NewCrab, NewFish } from './catches.ts'
export type { Checkpoint } from './checkpoint.ts'
export type { DeadLetterNotice } from './delivery.ts'
export {
  CheckpointMovedError,
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
  DeadLetter,
  FlushOptions,
  Outbox,
  OutboxAdded,
  OutboxAddOptions,
  OutboxStatus,
} from './outbox.ts'
export type {
  AddOutcome,
  AddRequest,
  CancelOutcome,
  CancelRequest,
  CatchToAdd,
  Collection,
  CollectionCounts,
  DeadLetterReason,
  LeaseHolder,
  LeaseOutcome,
  LeaseRequest,
  MaybePromise,
  NextBatch,
  OutboxStore,
  ServiceBinding,
  StoredCatch,
  StoredDeadLetter,
} from './store.ts'
export { memoryStore } from './stores/memory-store.ts'
export { sqliteStore } from './stores/sqlite-store.ts'
