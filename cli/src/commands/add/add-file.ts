import { ConnectionError } from '@fish-crab/sdk'
import { type RarityValue, userNameKey } from '@fish-crab/sdk/constants'
import { type FlushReport, type NewCatch, type Outbox, OutboxFullError, OutboxStoreError } from '@fish-crab/sdk/outbox'
import { catchesText } from '../../core/amounts.ts'
import { commandLine } from '../../core/argv.ts'
import { describeError } from '../../core/describe-error.ts'
import { CliError, EXIT } from '../../core/errors.ts'
import { flushStatus, flushWithProgress, interruptedError, mergeReports, rejectedHelp } from '../../session/delivery.ts'
import { waitingCatches } from '../../session/outbox.ts'
import type { Session } from '../../session/session.ts'
import { targetWords } from '../../session/target.ts'
import type { FileDefaults } from './catches.ts'
import { fileGroup, groupOfKey } from './keys.ts'
import { readCatches, validateFile } from './read-file.ts'
import { type FileSource, openSource } from './source.ts'
import { storedIds } from './stored.ts'
import { parseTimeZone } from './time.ts'

export interface AddFileFlags {
  readonly file: string
  readonly crab?: boolean | undefined
  readonly timezone?: string | undefined
  readonly player?: string | undefined
  readonly again?: boolean | undefined
}

interface AddFileOptions extends AddFileFlags {
  /** The default rarity, for fish without a rarity in their row. */
  readonly rarity: RarityValue | undefined
}

/**
 * Validates the whole file, then adds each catch once through the outbox. Each catch has a key, so repeated, killed or
 * parallel runs never add a catch twice.
 */
export async function addFile(
  session: Session,
  { rarity, again = false, file, crab, timezone, player }: AddFileOptions,
): Promise<number> {
  const { signal, target, terminal } = session
  const user = session.user()
  const defaults: FileDefaults = {
    user,
    player: player === undefined ? undefined : userNameKey(player),
    gamemode: await session.optionalGamemode(),
    rarity,
    kind: crab ? 'crab' : 'fish',
    timeZone: timezone === undefined ? undefined : parseTimeZone(timezone),
  }
  await using source = await openSource(session.system.stdin, file, signal)
  const { catches, named } = await validateFile(source, defaults, terminal.flags.json ? undefined : terminal.note)
  const { gamemode } = defaults
  const outbox = await session.outbox({ user, gamemode })
  try {
    const stored = again ? new Set<string>() : await storedIds(session, user, named).catch(withAgain)
    const group = fileGroup(source.hash, defaults, again)
    const waiting = await waitingCatches(outbox, user)
    const resumed = waiting.filter(({ key = '' }) => groupOfKey(key) === group).length
    const others = waiting.length - resumed
    if (others > 0) terminal.note(`fish-cli: Also sending from the outbox: ${catchesText(others)}.`)
    const cancel = commandLine('outbox', '--cancel', ...targetWords(target))
    const resume = `Repeat the command to continue, or cancel: ${cancel}`
    const queued = await queueFile(session, outbox, {
      source,
      defaults,
      stored,
      group,
      total: catches,
      resume: again ? `Cancel, then repeat the command: ${cancel}` : resume,
    })
    const report = mergeReports(queued.flushed, await flushWithProgress(session, outbox, again ? {} : { resume }))
    const status = flushStatus(session, report)
    const skipped = queued.skipped - resumed
    const earlier = (await outbox.status()).rejected - report.rejected
    if (skipped > 0 && earlier > 0)
      terminal.note(`fish-cli: ${catchesText(earlier)} rejected earlier. ${rejectedHelp(session)}`)
    const { delivered: sent, rejected, remaining } = report
    const text = `${catchesText(catches)} in the file: ${sent} sent, ${rejected} rejected, ${remaining} waiting.`
    const document = { catches, skipped, sent, rejected, waiting: remaining }
    terminal.print(document, () => `${text}${skippedText(skipped)}`)
    return status
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
 * read the stored ids from the service.
 * @throws always
 */
function withAgain(error: unknown): never {
  const report = describeError(error)
  if (!(error instanceof ConnectionError) && report.code !== 'bad_gateway') throw error
  const hint = [...(report.hint?.split('\n') ?? []), 'To add the catches without this check, add --again.']
  throw new CliError({ ...report, hint })
}

interface QueueFileOptions {
  readonly source: FileSource
  readonly defaults: FileDefaults
  /** Ids of records that are already stored. The catches of these records are skipped. */
  readonly stored: ReadonlySet<string>
  readonly group: string
  readonly total: number
  readonly resume: string
}

async function queueFile(session: Session, outbox: Outbox, options: QueueFileOptions) {
  const { signal, terminal } = session
  const { source, defaults, stored, group, total, resume } = options
  const progress = terminal.progress({ unit: 'catches', label: 'Reading', total })
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
      const { duplicates, reports } = await addOrFlush(session, outbox, resume, fresh)
      flushed.push(...reports)
      skipped += chunk.length - fresh.length + duplicates
      done += chunk.length
      progress.update(done)
    }
    return { flushed, skipped }
  } catch (error) {
    if (signal.aborted) throw await interruptedError(session, outbox, resume)
    if (done === 0 || !(error instanceof OutboxStoreError)) throw error
    const { code, summary, hint = '' } = error
    const message = `${summary} ${done} of ${total} catches are waiting in the outbox.`
    throw new CliError({ code, message, hint: `${hint} ${resume}`.trim(), exit: EXIT.failure })
  } finally {
    progress.end()
  }
}

/** Adds catches. If the outbox is full, flushes the outbox and tries again. */
async function addOrFlush(session: Session, outbox: Outbox, resume: string, catches: readonly NewCatch[]) {
  const reports: FlushReport[] = []
  for (;;) {
    try {
      const { duplicates } = await outbox.add(catches)
      return { duplicates, reports }
    } catch (error) {
      if (!(error instanceof OutboxFullError)) throw error
      const report = await flushWithProgress(session, outbox, { resume })
      if (report.delivered === 0) throw report.stopped[0]?.error ?? error
      reports.push(report)
    }
  }
}
