import type { RarityValue } from '@fish-crab/sdk/constants'
import { type FlushReport, type Outbox, OutboxFullError } from '@fish-crab/sdk/outbox'
import { catchesText, type FlushOptions, flushStatus, flushWithProgress, mergeReports } from '../client/flush.ts'
import { checkPlayerKey, openLocalOutbox, openPlayerOutbox, outboxPath } from '../client/outbox.ts'
import { gamemodeOf, maxWaitOf, requireUser, resolveTarget, type Target, type TargetFlags } from '../config/target.ts'
import type { Context } from '../core/context.ts'
import { CliError, EXIT, type ExitStatus } from '../core/errors.ts'
import { createProgress } from '../output/progress.ts'
import { printable } from '../output/text.ts'
import { checkNotRunning, claimImport, type ImportScope, importId, lockImport, readQueued } from './checkpoint.ts'
import { type FileSummary, type ImportDefaults, parseCatches, parseTimeZone, validateFile } from './reader.ts'
import { type ImportSource, openSource } from './source.ts'

/** The flags of `add --file`. */
export interface AddFileFlags extends TargetFlags {
  readonly json?: boolean | undefined
  readonly file: string
  readonly rarity?: string | undefined
  readonly crab?: boolean | undefined
  readonly timezone?: string | undefined
  readonly 'dry-run'?: boolean | undefined
  readonly 'no-input'?: boolean | undefined
}

/** What `add --file` is told. */
interface AddFileOptions {
  readonly flags: AddFileFlags
  /** Of fish whose record tells none. */
  readonly rarity: RarityValue | undefined
  /** Tells a person. */
  readonly note: (text: string) => void
}

/** What `add --file` did, or would do. */
interface AddFileOutcome {
  readonly status: ExitStatus
  readonly text: string
  /** `catches` are those of the file, `queued` those of them that a run which did not end has queued. */
  readonly document:
    | (FileSummary & { readonly dryRun: true; readonly user: string; readonly queued: number })
    | { readonly catches: number; readonly sent: number; readonly setAside: number; readonly left: number }
}

/**
 * Adds the catches of a file, all checked before anything is changed, each once, through the outbox. One run at a time
 * does so with the same content for the same player.
 *
 * @throws CliError `import_running`, `import_ended`, `wrong_lines`, `file_not_readable`, `interrupted`; what kept catches from being sent
 */
export async function addFile(context: Context, { flags, rarity, note }: AddFileOptions): Promise<AddFileOutcome> {
  const startedAt = context.startedAt ?? context.clock.now()
  const target = resolveTarget(context, flags)
  const user = requireUser(target, 'Add --user USER')
  const delivery = { maxWaitMs: maxWaitOf(target), signal: context.interrupted() }
  const defaults: ImportDefaults = {
    user,
    gamemode: gamemodeOf(target),
    rarity,
    kind: flags.crab ? 'crab' : 'fish',
    timeZone: flags.timezone === undefined ? undefined : parseTimeZone(flags.timezone),
  }
  await using source = await openSource(context, flags.file, delivery.signal)
  const name = importId(source, defaults)
  const path = outboxPath(context, target.url.value)
  const check = () => validateFile(source, defaults, flags.json ? undefined : note)
  if (flags['dry-run']) {
    checkNotRunning(path, name)
    const { catches, gamemodes } = await check()
    await checkPlayerKey(context, target, defaults)
    const queued = await countQueuedBefore(context, target, { name, user, content: source.hash })
    const rest = queued === 0 ? '' : `; an earlier run has queued ${queued} of this file already`
    const held = Object.entries(gamemodes).map(([gamemode, count]) => `${count} in ${gamemode}`)
    const would = `Would add ${catchesText(catches - queued)} for ${printable(user)}${rest}.`
    const text = `${would} The file holds: ${held.join(', ')}.`
    return { status: EXIT.ok, text, document: { dryRun: true, user, catches, gamemodes, queued } }
  }
  await using _lock = await lockImport(context, path, name)
  const { catches } = await check()
  const outbox = await openPlayerOutbox(context, target, {
    user,
    gamemode: defaults.gamemode,
    noInput: flags['no-input'],
  })
  try {
    const queueing = { source, defaults, name, startedAt, total: catches, ...delivery }
    const { before, flushed, settle } = await queueFile(context, outbox, queueing)
    if (before > 0) note(`fish-cli: ${resumeText(before, catches)}`)
    try {
      const report = mergeReports(flushed, await flushWithProgress(context, outbox, delivery))
      const status = flushStatus(report, note)
      const { sent, dead, left } = report
      const text = `${catchesText(catches)} taken: ${sent} sent, ${dead} set aside, ${left} left.`
      return { status, text, document: { catches, sent, setAside: dead, left } }
    } finally {
      await settle()
    }
  } finally {
    await outbox.close({ signal: delivery.signal })
  }
}

function resumeText(before: number, catches: number): string {
  if (before < catches) return `${before} of these were queued by a run that did not end; this one goes on there.`
  return 'All of these were queued by an earlier run; this one sends what still waits, and adds nothing.'
}

async function countQueuedBefore(context: Context, target: Target, own: ImportScope): Promise<number> {
  await using outbox = await openLocalOutbox(context, target)
  return outbox ? await readQueued(outbox, own) : 0
}

/** How a file is brought into an outbox. */
interface QueueFileOptions extends FlushOptions {
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
interface QueuedFile {
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
async function queueFile(context: Context, outbox: Outbox, options: QueueFileOptions): Promise<QueuedFile> {
  const { source, defaults, name, startedAt, total, signal } = options
  const { user } = defaults
  const claim = await claimImport(outbox, { name, user, content: source.hash, startedAt, clock: context.clock })
  const { before } = claim
  const progress = createProgress(context.line, context.clock, { unit: 'catches queued', total })
  let read = 0
  let done = before
  const flushed: FlushReport[] = []
  try {
    for await (const { catches } of parseCatches(source, defaults)) {
      const rest = catches.slice(Math.max(0, done - read))
      read += catches.length
      if (rest.length === 0) continue
      if (signal.aborted) throw interruptedAt(done, total)
      flushed.push(...(await addOrFlush(context, outbox, options, () => claim.add(rest, read))))
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
  context: Context,
  outbox: Outbox,
  wish: FlushOptions,
  add: () => Promise<void>,
): Promise<readonly FlushReport[]> {
  const flushed: FlushReport[] = []
  for (;;) {
    try {
      await add()
      return flushed
    } catch (error) {
      if (!(error instanceof OutboxFullError)) throw error
      const report = await flushWithProgress(context, outbox, wish)
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
