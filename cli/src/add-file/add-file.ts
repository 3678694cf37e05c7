import { createHash } from 'node:crypto'
import { isOutboxFullError, type NewCatch, type Outbox } from '@fish-crab/sdk/outbox'
import { CliError, usageError } from '../failures/cli-error.ts'
import { EXIT } from '../failures/exit.ts'
import { flushWithProgress } from '../outbox/flush-with-progress.ts'
import type { RunIo } from '../run-io.ts'
import { createProgress } from '../waiting/progress.ts'
import { checkedCatches, type ImportDefaults, type WrongLine } from './checked-catches.ts'
import type { ImportSource } from './source.ts'

const MOST_TOLD = 1000

/**
 * Reads a file to its end and checks every line of it; changes nothing.
 *
 * @param say Tells of one wrong line, of the first 1000. @default the message of the error tells of them
 * @returns how many catches it holds
 * @throws CliError `usage` when a line is wrong, or there is none
 */
export async function checkFile(
  source: ImportSource,
  defaults: ImportDefaults,
  say: ((text: string) => void) | undefined,
): Promise<number> {
  let count = 0
  let wrongCount = 0
  const wrong: WrongLine[] = []
  for await (const group of checkedCatches(source, defaults)) {
    count += group.catches.length
    for (const one of group.wrong) {
      wrongCount += 1
      if (wrongCount > MOST_TOLD) continue
      if (say) say(`fish-cli: line ${one.line}: ${one.problem}`)
      else wrong.push(one)
    }
  }
  if (wrongCount > 0) throw wrongLines(wrongCount, wrong)
  if (count === 0) throw usageError('The file holds no catches.', 'One a line: NAME,RARITY, or JSON with these fields.')
  return count
}

function wrongLines(count: number, told: readonly WrongLine[]): CliError {
  const first = count > MOST_TOLD ? `, of which the first ${MOST_TOLD} are told` : ''
  const lines = told.map(({ line, problem }) => ` Line ${line}: ${problem}`).join('')
  return new CliError({
    code: 'wrong_lines',
    message: `${count} ${count === 1 ? 'line is' : 'lines are'} wrong${first}; nothing was changed.${lines}`,
    hint: 'Mend these lines, and give the whole file again.',
    exit: EXIT.usage,
  })
}

/** How a file is brought into an outbox. */
export interface QueueFileOptions {
  readonly source: ImportSource
  readonly defaults: ImportDefaults
  /** What {@link checkFile} counted. */
  readonly total: number
  readonly maxWaitMs: number | undefined
  readonly signal: AbortSignal
}

/** What {@link queueFile} did. */
export interface QueuedFile {
  readonly added: number
  /** How many an earlier run, which was killed, had queued. */
  readonly before: number
  /** Says that this run knows what became of the file: the same content given again is then new. */
  settle(): Promise<void>
}

/**
 * Puts all catches of a checked file into the outbox, in order. How far it is stands there too, in the same step: a run
 * that was killed is taken up where it was when the same content is given again.
 *
 * @throws CliError `interrupted`; what was queued until then is kept
 */
export async function queueFile(io: RunIo, outbox: Outbox, options: QueueFileOptions): Promise<QueuedFile> {
  const { source, defaults, total, signal } = options
  const name = `import:${createHash('sha256')
    .update(JSON.stringify([source.hash, defaults]))
    .digest('hex')}`
  const before = Number((await outbox.bookmark(name)) ?? 0)
  const progress = createProgress(io.line, io.clock, { unit: 'catches queued', total })
  let read = 0
  let done = before
  try {
    for await (const { catches } of checkedCatches(source, defaults)) {
      const rest = catches.slice(Math.max(0, done - read))
      read += catches.length
      if (rest.length === 0) continue
      if (signal.aborted) throw interruptedAt(done, total)
      await addOrFlush(io, outbox, options, { catches: rest, bookmark: { name, value: String(read) } })
      done = read
      progress.update(done)
    }
  } catch (error) {
    throw signal.aborted ? interruptedAt(done, total) : error
  } finally {
    progress.end()
  }
  return {
    added: total - before,
    before,
    settle: async () => {
      await outbox.add([], { bookmark: { name, value: '0' } })
    },
  }
}

interface Part {
  readonly catches: readonly NewCatch[]
  readonly bookmark: { readonly name: string; readonly value: string }
}

async function addOrFlush(io: RunIo, outbox: Outbox, wish: QueueFileOptions, part: Part): Promise<void> {
  for (;;) {
    try {
      await outbox.add(part.catches, { bookmark: part.bookmark })
      return
    } catch (error) {
      if (!isOutboxFullError(error)) throw error
      const { sent, stopped } = await flushWithProgress(io, outbox, wish)
      if (sent === 0) throw stopped[0]?.error ?? error
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
        : 'Give the same again to go on where it was, or send what is queued: fish-cli outbox flush',
    exit: EXIT.interrupted,
  })
}
