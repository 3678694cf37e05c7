import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Gamemode } from '@fish-crab/sdk/constants'
import { type Outbox, OutboxFullError } from '@fish-crab/sdk/outbox'
import { catchesText, flushStatus, flushWithProgress, interruptedError, mergeReports } from '../client/flush.ts'
import { knownKeys, openPlayerOutbox } from '../client/outbox.ts'
import { maxWaitOf, type Target } from '../config/target.ts'
import type { Context, Notes } from '../core/context.ts'
import { CliError, EXIT, type ExitStatus, usageError } from '../core/errors.ts'
import { createProgress } from '../output/progress.ts'
import { ask, canPrompt } from '../output/prompt.ts'
import { jsonText, printable } from '../output/text.ts'
import { createUnrecognizedCounter, noteUnrecognized, type UnrecognizedCounter } from './chat-reader.ts'
import type { PlayerLocation } from './gamemode.ts'
import type { Batch } from './log-file.ts'
import { LOG_NOT_READABLE } from './log-file.ts'
import type { ChatReader, WatchedCatch } from './parser.ts'
import { catchKey, gamemodeResolver, toNewCatch } from './recorder.ts'
import { totalsText } from './report.ts'
import { dateInName, readWholeLog } from './rotation.ts'

interface HistoryOptions {
  readonly target: Target
  readonly user: string
  readonly folder: string
  readonly chat: ChatReader
  readonly gamemode: { readonly flag: Gamemode | undefined; readonly fallback: Gamemode | undefined }
  readonly flags: {
    readonly json?: boolean | undefined
    readonly yes?: boolean | undefined
    readonly 'no-input'?: boolean | undefined
    readonly 'dry-run'?: boolean | undefined
  }
}

/**
 * Adds the catches of all logs of a folder, oldest first. A catch has the same key here as when it is watched live, under
 * whatever name its log is found, so a run that was killed continues by starting it again.
 *
 * @throws CliError `interrupted`
 */
export async function addHistory(context: Context & Notes, options: HistoryOptions): Promise<ExitStatus> {
  const { target, user, folder, flags } = options
  const maxWaitMs = maxWaitOf(target)
  const logs = await listLogs(resolve(folder))
  const signal = context.interrupted()
  const isKnown = await knownKeys(context, target.url.value)
  const preview = await previewLogs(context, { ...options, logs, isKnown, signal })
  const print = (added: number, sent: number) => {
    if (flags.json) context.stdout.write(`${jsonText({ ...previewData(preview), added, sent })}\n`)
  }
  showPreview(context, preview, options)
  const isNothingNew = preview.fresh === 0
  if (!flags['dry-run'] && !isNothingNew && !flags.yes) {
    if (!canPrompt(context, flags['no-input'])) {
      throw usageError('Confirmation required to add these catches.', 'Add --yes, or --dry-run to see them only.')
    }
    const question = `Add ${catchesText(preview.fresh)} for ${printable(user)} at ${printable(target.url.value)}`
    if (!(await ask(context, question))) {
      throw new CliError({ code: 'not_confirmed', message: 'Nothing was added.', exit: EXIT.failure })
    }
  }
  const partly = preview.unreadable.length > 0 || preview.skipped > 0 ? EXIT.partly : EXIT.ok
  if (flags['dry-run']) {
    print(0, 0)
    noteUnrecognized(context, preview.unrecognized, target)
    return partly
  }
  const outbox = await openPlayerOutbox(context, target, { user, noInput: flags['no-input'] })
  try {
    // Sent even when nothing is new: an earlier run may have been killed before.
    const flush = () => flushWithProgress(context, outbox, { maxWaitMs, signal, target })
    const early: Awaited<ReturnType<typeof flush>>[] = []
    const full = async () => {
      early.push(await flush())
    }
    const added = isNothingNew ? 0 : await addLogs(context, { ...options, logs, outbox, signal, onFull: full })
    const report = mergeReports(early, await flush())
    const stored = report.delivered === 0 ? '' : ` ${report.delivered} sent.`
    context.note(`fish-cli: ${catchesText(added)} added.${stored}`)
    noteUnrecognized(context, preview.unrecognized, target)
    const status = flushStatus(context, report, target)
    print(added, report.delivered)
    return status === EXIT.ok ? partly : status
  } catch (error) {
    throw signal.aborted ? await interruptedError(outbox, target) : error
  } finally {
    await outbox.close({ signal })
  }
}

interface HistoryLog {
  readonly path: string
  /** In milliseconds since 1970. */
  readonly at: number
}

// A debug log repeats the catches of the others.
const LOG_NAME = /^(?!\.|debug|launcher).*\.(?:log|txt)(?:\.\d{1,3}|\.old|\.bak)?(?:\.gz)?$/i

/** Oldest first: by the date in the name, else the time of the last change. @throws CliError `log_not_found` */
async function listLogs(folder: string): Promise<readonly HistoryLog[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw noLogs(`There is no folder ${folder}.`)
    const why = error.code === 'ENOTDIR' ? 'is not a folder' : `cannot be read (${error.code ?? error.name})`
    throw usageError(`${folder} ${why}.`, PASS_FOLDER)
  })
  const logs = entries
    .filter((entry) => !entry.isDirectory() && LOG_NAME.test(entry.name))
    .map(async ({ name }) => {
      const path = join(folder, name)
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }))
      return { path, at: dateInName(path) ?? mtimeMs }
    })
  const found = await Promise.all(logs)
  if (found.length > 0) {
    return found.sort(
      (one, other) =>
        one.at - other.at || basename(one.path).localeCompare(basename(other.path), 'en', { numeric: true }),
    )
  }
  throw noLogs(`No logs found in ${folder}.`)
}

const PASS_FOLDER = 'Pass the folder of the logs: fish-cli watch --once ~/.minecraft/logs'

function noLogs(message: string): CliError {
  return new CliError({ code: 'log_not_found', message, hint: PASS_FOLDER, exit: EXIT.notFound })
}

interface Reading extends HistoryOptions {
  readonly logs: readonly HistoryLog[]
  readonly signal: AbortSignal
}

/** Logs that cannot be read are skipped. @returns their paths */
async function readLogs(
  context: Context,
  { logs, signal, chat, label }: Reading & { readonly label: string },
  onBatch: (batch: Batch) => Promise<void>,
): Promise<readonly string[]> {
  const unreadable: string[] = []
  const progress = createProgress(context.line, context.clock, { unit: 'logs', label, total: logs.length })
  let before: PlayerLocation = {}
  try {
    for (const [index, { path }] of logs.entries()) {
      signal.throwIfAborted()
      try {
        before = await readWholeLog({ path, before, signal, clock: context.clock, chat, onBatch })
      } catch (error) {
        if (!(error instanceof CliError && (error.code === LOG_NOT_READABLE || error.code === 'log_not_found')))
          throw error
        unreadable.push(path)
      }
      progress.update(index + 1)
    }
    return unreadable
  } finally {
    progress.end()
  }
}

interface Preview {
  readonly logs: number
  readonly fresh: number
  /** Added before, live or by an earlier run. */
  readonly known: number
  /** Catches where there is no gamemode. */
  readonly skipped: number
  /** Servers that are not a gamemode. */
  readonly servers: readonly string[]
  readonly counts: ReadonlyMap<Gamemode, { fish: number; crabs: number }>
  /** Times of the first and the last new catch, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly unreadable: readonly string[]
  readonly unrecognized: UnrecognizedCounter
}

async function previewLogs(
  context: Context,
  options: Reading & { readonly isKnown: (key: string) => boolean },
): Promise<Preview> {
  const { user, folder, gamemode, isKnown, logs } = options
  const gamemodeOf = gamemodeResolver(gamemode.flag, gamemode.fallback)
  const counts = new Map<Gamemode, { fish: number; crabs: number }>()
  const seen = new Set<string>()
  const servers = new Set<string>()
  const unrecognized = createUnrecognizedCounter()
  const sums = { fresh: 0, known: 0, skipped: 0, from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY }
  const count = (one: WatchedCatch) => {
    const key = catchKey(user, one)
    // The same log may be there twice, compressed and not.
    if (seen.has(key)) return
    seen.add(key)
    const where = gamemodeOf(one.where)
    if (isKnown(key)) sums.known += 1
    else if (where === undefined) {
      sums.skipped += 1
      servers.add(one.where.elsewhere ?? 'an unknown server')
    } else {
      const counted = counts.get(where) ?? { fish: 0, crabs: 0 }
      counted[one.found.kind === 'fish' ? 'fish' : 'crabs'] += 1
      counts.set(where, counted)
      sums.fresh += 1
      sums.from = Math.min(sums.from, one.caughtAt)
      sums.to = Math.max(sums.to, one.caughtAt)
    }
  }
  const unreadable = await readLogs(context, { ...options, label: 'Reading' }, async (batch) => {
    for (const one of batch.catches) count(one)
    unrecognized.add(batch.unrecognized, resolve(folder))
  })
  return { ...sums, logs: logs.length, counts, servers: [...servers], unreadable, unrecognized }
}

function previewData({ logs, fresh, known, skipped, counts, unreadable, unrecognized }: Preview) {
  return {
    logs,
    new: fresh,
    addedBefore: known,
    byGamemode: Object.fromEntries(counts),
    withoutGamemode: skipped,
    unreadable,
    unrecognized: { count: unrecognized.count(), examples: unrecognized.examples() },
  }
}

const MAX_NAMED = 5

function showPreview(context: Context & Notes, preview: Preview, { folder }: HistoryOptions): void {
  const { logs, fresh, known, skipped, servers, counts, from, to, unreadable } = preview
  const day = (at: number) => new Date(at).toLocaleDateString('sv')
  const span = fresh === 0 ? '' : `, ${day(from)} to ${day(to)}`
  const logsText = logs === 1 ? '1 log' : `${logs} logs`
  context.note(
    `fish-cli: ${logsText} in ${printable(folder)}: ${catchesText(fresh)} new${span}; ${known} added before.`,
  )
  for (const [gamemode, totals] of counts) context.note(`  ${gamemode}: ${totalsText(totals)}`)
  if (skipped > 0) {
    const names = servers.slice(0, MAX_NAMED).map(printable).join(', ')
    context.note(`  Without a gamemode, on ${names}: ${skipped}. To add them, too: --gamemode GAMEMODE`)
  }
  for (const path of unreadable.slice(0, MAX_NAMED)) context.note(`  Cannot be read: ${printable(path)}`)
  if (unreadable.length > MAX_NAMED) context.note(`  and ${unreadable.length - MAX_NAMED} more`)
}

/** @returns how many catches were added */
async function addLogs(
  context: Context,
  options: Reading & { readonly outbox: Outbox; readonly onFull: () => Promise<void> },
): Promise<number> {
  const { outbox, user, gamemode, onFull } = options
  const gamemodeOf = gamemodeResolver(gamemode.flag, gamemode.fallback)
  let added = 0
  await readLogs(context, { ...options, label: 'Adding' }, async ({ catches }) => {
    const additions = catches.flatMap((one) => {
      const where = gamemodeOf(one.where)
      return where === undefined ? [] : [toNewCatch(user, one, where)]
    })
    if (additions.length === 0) return
    const add = () => outbox.add(additions)
    const result = await add().catch(async (error: unknown) => {
      if (!(error instanceof OutboxFullError)) throw error
      await onFull()
      return add()
    })
    added += result.added
  })
  return added
}
