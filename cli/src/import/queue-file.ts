import { type FlushReport, isOutboxFullError, type Outbox } from '@fish-crab/sdk/outbox'
import { type FlushWish, flushWithProgress } from '../client/flush-with-progress.ts'
import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import type { RunIo } from '../core/run-io.ts'
import { createProgress } from '../output/progress.ts'
import { checkedCatches, type ImportDefaults } from './checked-catches.ts'
import { claimImport } from './import-place.ts'
import type { ImportSource } from './source.ts'

/** How a file is brought into an outbox. */
export interface QueueFileOptions extends FlushWish {
  readonly source: ImportSource
  readonly defaults: ImportDefaults
  /** Names this import; its lock is held. */
  readonly name: string
  /** When this run began, milliseconds since 1970. */
  readonly startedAt: number
  /** What `checkFile` counted. */
  readonly total: number
}

/** What {@link queueFile} did. */
export interface QueuedFile {
  /** How many earlier runs had queued. */
  readonly before: number
  /** What was sent meanwhile, to make room. */
  readonly flushed: readonly FlushReport[]
  /** Says that this run knows what became of the file: the same content given again is new once nothing of it waits. */
  settle(): Promise<void>
}

/**
 * Puts all catches of a checked file into the outbox, in order. How far it is stands there too, in the same step: a run
 * that was killed, or could not send all, is taken up where it was when the same content is given again.
 *
 * @throws CliError `import_running`, `import_ended`, `interrupted`; what was queued until then is kept
 */
export async function queueFile(io: RunIo, outbox: Outbox, options: QueueFileOptions): Promise<QueuedFile> {
  const { source, defaults, name, startedAt, total, signal } = options
  const { user } = defaults
  const claim = await claimImport(outbox, { name, user, content: source.hash, startedAt, clock: io.clock })
  const { before } = claim
  const progress = createProgress(io.line, io.clock, { unit: 'catches queued', total })
  let read = 0
  let done = before
  const flushed: FlushReport[] = []
  try {
    for await (const { catches } of checkedCatches(source, defaults)) {
      const rest = catches.slice(Math.max(0, done - read))
      read += catches.length
      if (rest.length === 0) continue
      if (signal.aborted) throw interruptedAt(done, total)
      flushed.push(...(await addOrFlush(io, outbox, options, () => claim.add(rest, read))))
      done = read
      progress.update(done)
    }
  } catch (error) {
    throw signal.aborted ? interruptedAt(done, total) : error
  } finally {
    progress.end()
  }
  return {
    before,
    flushed,
    settle: () => claim.settle(),
  }
}

/** Adds, and sends what is queued where there is no room. @returns what was sent */
async function addOrFlush(
  io: RunIo,
  outbox: Outbox,
  wish: FlushWish,
  add: () => Promise<void>,
): Promise<readonly FlushReport[]> {
  const flushed: FlushReport[] = []
  for (;;) {
    try {
      await add()
      return flushed
    } catch (error) {
      if (!isOutboxFullError(error)) throw error
      const report = await flushWithProgress(io, outbox, wish)
      if (report.sent === 0) throw report.stopped[0]?.error ?? error
      flushed.push(report)
    }
  }
}

function interruptedAt(done: number, total: number): CliError {
  return new CliError({
    code: 'interrupted',
    message: `Interrupted. ${done} of ${total} catches are queued, and kept on this machine.`,
    hint:
      done === 0
        ? 'Nothing was queued.'
        : 'Give the same again to go on where it was, or take it back: fish-cli outbox cancel --file FILE',
    exit: EXIT.interrupted,
  })
}
