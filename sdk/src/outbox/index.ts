export type { PayloadEntry } from '../client/resources/catch-input.ts'
export type { CatchFields, NewCatch, NewCrab, NewFish } from './catches.ts'
export {
  CheckpointMovedError,
  OutboxClosedError,
  OutboxFullError,
  OutboxStoreError,
  type OutboxStoreErrorCode,
} from './errors.ts'
export type { DeadLetterNotice, OutboxEvent, OutboxListener } from './events.ts'
export { memoryStore } from './memory-store.ts'
export { openOutbox } from './open-outbox.ts'
export type { OutboxClient, OutboxOptions } from './options.ts'
export type {
  CancelOptions,
  DeadLetter,
  FlushOptions,
  FlushProgress,
  FlushReport,
  Outbox,
  OutboxAdded,
  OutboxAddOptions,
  OutboxStatus,
  StoppedCollection,
} from './outbox.ts'
export { sqliteStore } from './sqlite-store.ts'
export type {
  AddOutcome,
  AddRequest,
  CancelOutcome,
  CancelRequest,
  CatchToAdd,
  Checkpoint,
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
