export type { PayloadEntry } from '../client/resources/catch-input.ts'
export type {
  CatchFields,
  CatchToAdd,
  Checkpoint,
  Collection,
  NewCatch,
  NewCrab,
  NewFish,
  StoredCatch,
} from './catches.ts'
export {
  OutboxClosedError,
  OutboxFullError,
  OutboxStoreError,
  type OutboxStoreErrorCode,
} from './errors.ts'
export { inspectOutbox, openOutbox } from './open-outbox.ts'
export type { OutboxClient, OutboxOptions } from './options.ts'
export type {
  CancelOptions,
  CancelOutcome,
  DeadLetter,
  DeadLetterNotice,
  FlushOptions,
  FlushProgress,
  FlushReport,
  Outbox,
  OutboxAdded,
  OutboxAddOptions,
  OutboxCounts,
  OutboxEvent,
  OutboxInspection,
  OutboxListener,
  OutboxStatus,
  RejectionReason,
  StoppedCollection,
} from './outbox.ts'
