import { ConnectionError } from '@fish-crab/sdk'
import type { RarityValue } from '@fish-crab/sdk/constants'
import { type FlushReport, type Outbox, OutboxFullError, OutboxStoreError } from '@fish-crab/sdk/outbox'
import { describeError } from '../client/describe-error.ts'
import {
  catchesText,
  DEAD_LETTER_HELP,
  type FlushOptions,
  flushStatus,
  flushWithProgress,
  mergeReports,
} from '../client/flush.ts'
import { gamemodeOf } from '../client/gamemodes.ts'
import { openPlayerOutbox } from '../client/outbox.ts'
import { outboxPath } from '../client/outbox-path.ts'
import { maxWaitOf, requireUser, type Target } from '../config/target.ts'
import type { Context, Notes } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { createProgress } from '../output/progress.ts'
import { canPrompt, confirm } from '../output/prompt.ts'
import { claimImport, countOfOtherFiles, type ImportClaim, importId, lastImport, lockImport } from './checkpoint.ts'
import { type FileCatch, type ImportDefaults, parseCatches, parseTimeZone, validateFile } from './reader.ts'
import { type ImportSource, openSource } from './source.ts'
import { storedIds } from './stored.ts'

export interface AddFileFlags {
  readonly json?: boolean | undefined
  readonly file: string
  readonly rarity?: string | undefined
  readonly crab?: boolean | undefined
  readonly timezone?: string | undefined
  readonly again?: boolean | undefined
  readonly 'no-input'?: boolean | undefined
}

interface AddFileOptions {
  readonly target: Target
  readonly flags: AddFileFlags
  /** Rarity of fish without one. */
  readonly rarity: RarityValue | undefined
}

/** Validates the whole file, then adds each catch once through the outbox. */
export async function addFile(context: Context & Notes, { target, flags, rarity }: AddFileOptions) {
  const user = requireUser(target, 'Add --user USER')
  const delivery = { maxWaitMs: maxWaitOf(target), signal: context.interrupted(), target }
  const defaults: ImportDefaults = {
    user,
    gamemode: await gamemodeOf(context, target),
    rarity,
    kind: flags.crab ? 'crab' : 'fish',
    timeZone: flags.timezone === undefined ? undefined : parseTimeZone(flags.timezone),
  }
  await using source = await openSource(context, flags.file, delivery.signal)
  const name = importId(source, defaults)
  await using _lock = await lockImport(context, outboxPath(context, target.url.value), name)
  const { catches, named } = await validateFile(source, defaults, flags.json ? undefined : context.note)
  const outbox = await openPlayerOutbox(context, target, {
    user,
    gamemode: defaults.gamemode,
    noInput: flags['no-input'],
  })
  try {
    if (!flags.again) await confirmRepeat(context, flags, { catches, endedAt: await lastImport(outbox, name) })
    const stored = flags.again
      ? new Set<string>()
      : await storedIds(context, target, { user, named, ...delivery }).catch((error: unknown) => {
          throw withAgainHint(error)
        })
    const claim = await claimImport(outbox, { name, content: source.hash, clock: context.clock })
    const { before } = claim
    const { flushed, skipped } = await queueFile(context, outbox, {
      claim,
      source,
      defaults,
      stored,
      total: catches,
      ...delivery,
    })
    const others = await countOfOtherFiles(outbox, source.hash)
    if (others > 0)
      context.note(
        `fish-cli: ${catchesText(others)} of other files were queued before; those of ${user} are sent, too.`,
      )
    if (before > 0) context.note(`fish-cli: ${resumeText(before, catches)}`)
    try {
      const report = mergeReports(flushed, await flushWithProgress(context, outbox, delivery))
      const status = flushStatus(context, report, target)
      const { delivered: sent, remaining: left } = report
      const { dead: ofFile, isCancelled } = await claim.rest()
      const earlier = ofFile - report.rejected
      if (earlier > 0)
        context.note(`fish-cli: ${catchesText(earlier)} of earlier runs in dead letters. ${DEAD_LETTER_HELP}`)
      const dead = Math.max(ofFile, report.rejected)
      const what = isCancelled ? 'The import was cancelled' : `${catchesText(catches)} imported`
      const known = skipped === 0 ? '' : ` ${catchesText(skipped)} skipped: the collection has them.`
      const text = `${what}: ${sent} sent, ${dead} in dead letters, ${left} left.${known}`
      const document = { catches, sent, skipped, deadLetters: dead, left }
      return { status: dead > 0 || isCancelled ? EXIT.partly : status, text, document }
    } finally {
      await claim.settle()
    }
  } finally {
    await outbox.close({ signal: delivery.signal })
  }
}

/** @throws CliError `already_added` if nobody can answer a prompt */
async function confirmRepeat(
  context: Context,
  flags: AddFileFlags,
  { catches, endedAt }: { readonly catches: number; readonly endedAt: number | undefined },
): Promise<void> {
  if (endedAt === undefined) return
  const problem = `This file was added before, at ${new Date(endedAt).toISOString()}.`
  if (canPrompt(context, flags['no-input'])) {
    return confirm(context, { question: `${problem} Add its ${catchesText(catches)} again` })
  }
  throw new CliError({
    code: 'already_added',
    message: `${problem} Nothing was changed.`,
    hint: 'To add its catches again, repeat the command with --again.',
    exit: EXIT.conflict,
  })
}

/** Without the service, only this check prevents queueing the catches. */
function withAgainHint(error: unknown): unknown {
  const report = describeError(error)
  if (!(error instanceof ConnectionError) && report.code !== 'bad_gateway') return error
  const hint = `${report.hint ?? ''} To queue the catches without this check, add --again.`.trim()
  return new CliError({ ...report, hint })
}

function resumeText(before: number, catches: number): string {
  if (before < catches) return `An incomplete run queued ${before} of these; resuming there.`
  return 'An earlier run queued all of these; sending what is still queued.'
}

interface QueueFileOptions extends FlushOptions {
  readonly source: ImportSource
  readonly defaults: ImportDefaults
  readonly claim: ImportClaim
  /** Ids of records whose catches are skipped. */
  readonly stored: ReadonlySet<string>
  readonly total: number
}

/** With a checkpoint in the same transaction: the same content resumes a run that was killed or could not send all. */
async function queueFile(context: Context, outbox: Outbox, options: QueueFileOptions) {
  const { claim, source, defaults, stored, total, signal } = options
  const progress = createProgress(context.line, context.clock, { unit: 'catches queued', total })
  let read = 0
  let done = claim.before
  let skipped = 0
  const flushed: FlushReport[] = []
  try {
    for await (const { catches } of parseCatches(source, defaults)) {
      const isStored = ({ id }: FileCatch) => id !== undefined && stored.has(id)
      skipped += catches.filter(isStored).length
      const rest = catches.slice(Math.max(0, done - read)).filter((one) => !isStored(one))
      read += catches.length
      if (rest.length === 0) continue
      if (signal.aborted) throw interruptedAt(done, total)
      flushed.push(
        ...(await addOrFlush(context, outbox, options, () =>
          claim.add(
            rest.map(({ entry }) => entry),
            read,
          ),
        )),
      )
      done = read
      progress.update(done)
    }
  } catch (error) {
    if (signal.aborted) throw interruptedAt(done, total)
    throw done > 0 && error instanceof OutboxStoreError ? storeErrorAt(done, total, error) : error
  } finally {
    progress.end()
  }
  return { flushed, skipped }
}

/** Adds, and flushes while the outbox is full. @returns the flushes */
async function addOrFlush(
  context: Context,
  outbox: Outbox,
  delivery: FlushOptions,
  add: () => Promise<void>,
): Promise<readonly FlushReport[]> {
  const flushed: FlushReport[] = []
  for (;;) {
    try {
      await add()
      return flushed
    } catch (error) {
      if (!(error instanceof OutboxFullError)) throw error
      const report = await flushWithProgress(context, outbox, delivery)
      if (report.delivered === 0) throw report.stopped[0]?.error ?? error
      flushed.push(report)
    }
  }
}

function storeErrorAt(done: number, total: number, { code, summary, hint = '' }: OutboxStoreError): CliError {
  return new CliError({
    code,
    message: `${summary} ${done} of ${total} catches are queued on this machine.`,
    hint: `${hint} To resume, repeat the command.`.trim(),
    exit: EXIT.failure,
  })
}

function interruptedAt(done: number, total: number): CliError {
  return new CliError({
    code: 'interrupted',
    message: `Interrupted. ${done} of ${total} catches are queued on this machine.`,
    hint:
      done === 0
        ? 'Nothing was queued.'
        : 'To resume, repeat the command. To cancel the import: fish-cli outbox cancel --file FILE',
    exit: EXIT.interrupted,
  })
}
