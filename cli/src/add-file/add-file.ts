import { ConnectionError } from '@fish-crab/sdk'
import type { RarityValue } from '@fish-crab/sdk/constants'
import { type FlushReport, type NewCatch, type Outbox, OutboxFullError, OutboxStoreError } from '@fish-crab/sdk/outbox'
import { describeError } from '../client/describe-error.ts'
import {
  catchesText,
  type FlushOptions,
  flushStatus,
  flushWithProgress,
  interruptedError,
  mergeReports,
  REJECTED_HELP,
} from '../client/flush.ts'
import { gamemodeOf } from '../client/gamemodes.ts'
import { openPlayerOutbox, waitingCatches } from '../client/outbox.ts'
import { maxWaitOf, requireUser, type Target, targetWords } from '../config/target.ts'
import { commandLine } from '../core/command-line.ts'
import type { Context, Notes } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { createProgress } from '../output/progress.ts'
import type { FileDefaults } from './catches.ts'
import { fileGroup, groupOfKey } from './keys.ts'
import { readCatches, validateFile } from './read-file.ts'
import { type FileSource, openSource } from './source.ts'
import { storedIds } from './stored.ts'
import { parseTimeZone } from './time.ts'

export interface AddFileFlags {
  readonly json?: boolean | undefined
  readonly file: string
  readonly crab?: boolean | undefined
  readonly timezone?: string | undefined
  readonly again?: boolean | undefined
  readonly 'no-input'?: boolean | undefined
}

interface AddFileOptions {
  readonly target: Target
  readonly flags: AddFileFlags
  /** The default rarity, for fish without a rarity in their row. */
  readonly rarity: RarityValue | undefined
}

/**
 * Validates the whole file, then adds each catch once through the outbox. Each catch has a key, so repeated, killed or
 * parallel runs never add a catch twice.
 */
export async function addFile(context: Context & Notes, { target, flags, rarity }: AddFileOptions) {
  const user = requireUser(target)
  const { again = false } = flags
  const signal = context.interrupted()
  const defaults: FileDefaults = {
    user,
    gamemode: await gamemodeOf(context, target),
    rarity,
    kind: flags.crab ? 'crab' : 'fish',
    timeZone: flags.timezone === undefined ? undefined : parseTimeZone(flags.timezone),
  }
  await using source = await openSource(context, flags.file, signal)
  const { catches, named } = await validateFile(source, defaults, flags.json ? undefined : context.note)
  const { gamemode } = defaults
  const outbox = await openPlayerOutbox(context, target, { user, gamemode, noInput: flags['no-input'] })
  try {
    const stored = again
      ? new Set<string>()
      : await storedIds(context, target, { user, named, signal }).catch(withAgain)
    const group = fileGroup(source.hash, defaults, again)
    const waiting = await waitingCatches(outbox, user)
    const resumed = waiting.filter(({ key = '' }) => groupOfKey(key) === group).length
    const others = waiting.length - resumed
    if (others > 0) context.note(`fish-cli: Also sending from the outbox: ${catchesText(others)}.`)
    const cancel = commandLine('outbox', '--cancel', ...targetWords(target))
    const resume = `Repeat the command to continue, or cancel: ${cancel}`
    const delivery = { maxWaitMs: maxWaitOf(target), signal, target, ...(!again && { resume }) }
    const queued = await queueFile(context, outbox, {
      source,
      defaults,
      stored,
      group,
      total: catches,
      ...delivery,
      resume: again ? `Cancel, then repeat the command: ${cancel}` : resume,
    })
    const report = mergeReports(queued.flushed, await flushWithProgress(context, outbox, delivery))
    const status = flushStatus(context, report, target)
    const skipped = queued.skipped - resumed
    const earlier = (await outbox.status()).rejected - report.rejected
    if (skipped > 0 && earlier > 0) context.note(`fish-cli: ${catchesText(earlier)} rejected earlier. ${REJECTED_HELP}`)
    const { delivered: sent, rejected, remaining } = report
    const text = `${catchesText(catches)} in the file: ${sent} sent, ${rejected} rejected, ${remaining} waiting.`
    const document = { catches, skipped, sent, rejected, waiting: remaining }
    return { status, text: `${text}${skippedText(skipped)}`, document }
  } finally {
    await outbox.close({ signal })
  }
}

function skippedText(count: number): string {
  if (count === 0) return ''
  const [before, again] = count === 1 ? ['it was', 'it'] : ['they were', 'them']
  return ` ${count} skipped: ${before} added before. To add ${again} again, repeat the command with --again.`
}

/**
 * Adds a hint about --again to an error if the service does not respond. With --again, the command does not have to
 * read the stored ids from the service. @throws always
 */
function withAgain(error: unknown): never {
  const report = describeError(error)
  if (!(error instanceof ConnectionError) && report.code !== 'bad_gateway') throw error
  const hint = `${report.hint ?? ''}\nTo add the catches without this check, add --again.`.trim()
  throw new CliError({ ...report, hint })
}

interface QueueFileOptions extends FlushOptions {
  readonly source: FileSource
  readonly defaults: FileDefaults
  /** Ids of records that are already stored. The catches of these records are skipped. */
  readonly stored: ReadonlySet<string>
  readonly group: string
  readonly total: number
  readonly resume: string
}

async function queueFile(context: Context, outbox: Outbox, options: QueueFileOptions) {
  const { source, defaults, stored, group, total, signal, target, resume } = options
  const progress = createProgress(context.line, context.clock, { unit: 'catches', label: 'Reading', total })
  const flushed: FlushReport[] = []
  let done = 0
  let skipped = 0
  try {
    for await (const chunk of readCatches(source, defaults)) {
      signal.throwIfAborted()
      const fresh = chunk.flatMap((one, index) => {
        if ('problem' in one || (one.id !== undefined && stored.has(one.id))) return []
        return [{ ...one.entry, key: `${group}:${done + index}` }]
      })
      const { duplicates, reports } = await addOrFlush(context, outbox, options, fresh)
      flushed.push(...reports)
      skipped += chunk.length - fresh.length + duplicates
      done += chunk.length
      progress.update(done)
    }
    return { flushed, skipped }
  } catch (error) {
    if (signal.aborted) throw await interruptedError(outbox, target, resume)
    if (done === 0 || !(error instanceof OutboxStoreError)) throw error
    const { code, summary, hint = '' } = error
    const message = `${summary} ${done} of ${total} catches are waiting in the outbox.`
    throw new CliError({ code, message, hint: `${hint} ${resume}`.trim(), exit: EXIT.failure })
  } finally {
    progress.end()
  }
}

/** Adds catches. If the outbox is full, flushes the outbox and tries again. */
async function addOrFlush(context: Context, outbox: Outbox, delivery: FlushOptions, catches: readonly NewCatch[]) {
  const reports: FlushReport[] = []
  for (;;) {
    try {
      const { duplicates } = await outbox.add(catches)
      return { duplicates, reports }
    } catch (error) {
      if (!(error instanceof OutboxFullError)) throw error
      const report = await flushWithProgress(context, outbox, delivery)
      if (report.delivered === 0) throw report.stopped[0]?.error ?? error
      reports.push(report)
    }
  }
}
