import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Gamemode } from '@fish-crab/sdk/constants'
import type { Outbox } from '@fish-crab/sdk/outbox'
import { LOG_NAME } from '../../../../server/web/src/player-app/log-name.ts'
import { catchesText } from '../../core/amounts.ts'
import { commandLine } from '../../core/argv.ts'
import { CliError, EXIT, type ExitStatus } from '../../core/errors.ts'
import { flushStatus, flushWithProgress, interruptedError } from '../../session/delivery.ts'
import { knownKeys } from '../../session/outbox.ts'
import type { Session } from '../../session/session.ts'
import { targetWords } from '../../session/target.ts'
import { createUnrecognizedCounter, noteUnrecognized, type UnrecognizedCounter } from './chat-reader.ts'
import { byName, listLogs } from './folder.ts'
import { findGames, usualLocations } from './locations.ts'
import { isGzipped, isUnreadable, openLog } from './log-file.ts'
import { dateInName, type GameState, readToEnd, startOf } from './log-reader.ts'
import { promptForGamemode, type WatchOptions } from './options.ts'
import type { LogPosition, WatchedCatch } from './parser.ts'
import { acceptPlayers, createPlayerNotes, otherPlayers } from './players.ts'
import { catchKey, checkpoint, gamemodeResolver, toNewCatch } from './recorder.ts'
import { totalsText } from './report.ts'

interface CopyOptions {
  /** The name of the logs in messages, if they are temporary copies. No position is stored for copies. */
  readonly copies?: string | undefined
}

/**
 * Adds the new catches of old logs, oldest first. A catch gets the same key here and in a live run, whatever the name
 * of the log is. Therefore, a killed run can be repeated without adding a catch twice.
 *
 * @throws CliError `interrupted`
 */
export async function readOnce(session: Session, options: WatchOptions, { copies }: CopyOptions = {}): Promise<number> {
  const { signal, terminal } = session
  const { user, paths, flags } = options
  const isDryRun = flags['dry-run'] === true
  const named = paths.length > 0 ? paths : (await findGames(usualLocations(session))).map(({ path }) => path)
  const logs = (await Promise.all(named.map(logsAt))).flat()
  const isKnown = await knownKeys(session)
  const outbox = isDryRun ? undefined : await session.outbox({ user })
  try {
    const found = await readLogs(session, { ...options, logs })
    const usual =
      options.gamemode.usual ?? (found.catches.some(isNowhere) ? await promptForGamemode(session) : undefined)
    const preview = previewOf(found, { ...options, gamemode: { ...options.gamemode, usual }, isKnown })
    showPreview(session, preview, copies === undefined ? named : [copies])
    const partly = [...found.unreadable, ...found.cut].length > 0 || preview.skipped > 0 ? EXIT.partly : EXIT.ok
    let result = { added: 0, sent: 0 }
    let status: ExitStatus = EXIT.ok
    if (outbox) {
      const { length } = preview.fresh
      const others = otherPlayers(
        preview.fresh.map(({ one }) => one),
        options.ownNames,
      )
      await acceptPlayers(terminal, others, options)
      if (length > 0 && !flags.yes && terminal.canPrompt) await confirm(session, length, user)
      ;({ status, ...result } = await addAll(session, outbox, {
        user,
        found,
        preview,
        keepsPositions: copies === undefined,
      }))
    }
    noteUnrecognized(session, found.unrecognized)
    terminal.print({ ...previewData(preview), ...result }, () => resultText(result))
    return status === EXIT.ok ? partly : status
  } catch (error) {
    throw signal.aborted && outbox ? await interruptedError(session, outbox) : error
  } finally {
    await outbox?.close({ signal })
  }
}

function resultText({ added, sent }: { readonly added: number; readonly sent: number }): string {
  return `${catchesText(added)} added.${sent === 0 ? '' : ` ${sent} sent.`}`
}

async function confirm({ terminal, url }: Session, count: number, user: string): Promise<void> {
  const question = `Add ${catchesText(count)} for ${user} at ${url}`
  if (await terminal.ask(question)) return
  throw new CliError({ code: 'not_confirmed', message: 'Nothing was added.', exit: EXIT.failure })
}

/**
 * Returns the log, or the logs of a folder.
 * @throws CliError `log_not_found`
 */
async function logsAt(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw logNotFound(`No log found at ${path}.`, 'To search the usual places: fish-cli watch')
  return found.isDirectory() ? logsIn(path) : [path]
}

/**
 * Returns the logs, oldest first, by the date in the name or else the time of the last change.
 * @throws CliError `log_not_found`
 */
async function logsIn(folder: string): Promise<readonly string[]> {
  const logs = await listLogs(folder, (name) => LOG_NAME.test(name))
  if (logs.length === 0) {
    const hint = 'Pass the folder of the logs: fish-cli watch --once ~/.minecraft/logs'
    throw logNotFound(`No logs found in ${folder}.`, hint)
  }
  const dated = logs.map((log) => ({ ...log, at: dateInName(log.path) ?? log.writtenAt }))
  return dated.sort((one, other) => one.at - other.at || byName(one, other)).map(({ path }) => path)
}

function logNotFound(message: string, hint: string): CliError {
  return new CliError({ code: 'log_not_found', message, hint, exit: EXIT.notFound })
}

// The game finishes writing a line within this time.
const UNFINISHED_MS = 2000

interface Found {
  readonly logs: number
  /** The catches in the order of the logs. If two logs have the same content, the catches are listed once. */
  readonly catches: readonly WatchedCatch[]
  readonly positions: readonly { readonly path: string; readonly position: LogPosition }[]
  readonly unreadable: readonly string[]
  /** Compressed logs whose end is missing. */
  readonly cut: readonly string[]
  readonly unrecognized: UnrecognizedCounter
}

interface Reading extends WatchOptions {
  readonly logs: readonly string[]
}

async function readLogs(
  { clock, signal, terminal }: Session,
  { logs, paths, user, ownNames, chat, encoding }: Reading,
): Promise<Found> {
  const catches = new Map<string, WatchedCatch>()
  const positions: { path: string; position: LogPosition }[] = []
  const unreadable: string[] = []
  const cut: string[] = []
  const unrecognized = createUnrecognizedCounter()
  const notePlayer = createPlayerNotes(terminal, user, ownNames)
  const progress = terminal.progress({ unit: 'logs', label: 'Reading', total: logs.length })
  let before: GameState = {}
  const read = async (path: string, nextLogAt: number | undefined) => {
    const file = await openLog(path, encoding)
    if (!file) return
    try {
      const { writtenAt } = await file.facts()
      const isWhole = !file.isCut && clock.now() - writtenAt > UNFINISHED_MS
      if (file.isCut) cut.push(path)
      const start = await startOf(file, { path, isWhole, before })
      if (!start) return
      const onBatch = (batch: {
        readonly catches: readonly WatchedCatch[]
        readonly unrecognized: readonly string[]
      }) => {
        for (const one of batch.catches) if (!catches.has(one.key)) catches.set(one.key, one)
        unrecognized.add(batch.unrecognized, resolve(path, '..'))
      }
      const position = await readToEnd(file, start, { signal, chat, isWhole, nextLogAt, onBatch })
      before = position
      notePlayer(position)
      // No position is stored for a compressed log, because the game does not append to such a log.
      if (!isGzipped(path)) positions.push({ path, position })
    } finally {
      await file.close()
    }
  }
  try {
    for (const [index, path] of logs.entries()) {
      signal.throwIfAborted()
      try {
        await read(path, dateInName(logs[index + 1]))
      } catch (error) {
        // A log that the user named must be readable. Other logs of a folder are skipped.
        if (paths.includes(path) || !isUnreadable(error)) throw error
        unreadable.push(path)
      }
      progress.update(index + 1)
    }
  } finally {
    progress.end()
  }
  return { logs: logs.length, catches: [...catches.values()], positions, unreadable, cut, unrecognized }
}

function isNowhere({ where }: WatchedCatch): boolean {
  return where.gamemode === undefined && where.elsewhere === undefined
}

interface Preview extends Pick<Found, 'logs' | 'unreadable' | 'cut' | 'unrecognized'> {
  readonly fresh: readonly { readonly one: WatchedCatch; readonly gamemode: Gamemode }[]
  /** Number of catches that `watch` had already added, live or in an earlier run. */
  readonly known: number
  /** Number of catches with an unknown gamemode. */
  readonly skipped: number
  /** Servers that are not a gamemode. */
  readonly servers: ReadonlySet<string>
  readonly counts: ReadonlyMap<Gamemode, { fish: number; crabs: number }>
}

function previewOf(
  found: Found,
  { user, gamemode, isKnown }: Pick<WatchOptions, 'user' | 'gamemode'> & { readonly isKnown: (key: string) => boolean },
): Preview {
  const gamemodeOf = gamemodeResolver(gamemode.flag, gamemode.usual)
  const fresh: { one: WatchedCatch; gamemode: Gamemode }[] = []
  const counts = new Map<Gamemode, { fish: number; crabs: number }>()
  const servers = new Set<string>()
  let [known, skipped] = [0, 0]
  for (const one of found.catches) {
    const where = gamemodeOf(one.where)
    if (isKnown(catchKey(user, one))) known += 1
    else if (where === undefined) {
      skipped += 1
      servers.add(one.where.elsewhere ?? 'an unknown server')
    } else {
      const counted = counts.get(where) ?? { fish: 0, crabs: 0 }
      counted[one.found.kind === 'fish' ? 'fish' : 'crabs'] += 1
      counts.set(where, counted)
      fresh.push({ one, gamemode: where })
    }
  }
  return { ...found, fresh, known, skipped, servers, counts }
}

function previewData({ logs, fresh, known, skipped, counts, unreadable, cut, unrecognized }: Preview) {
  return {
    logs,
    new: fresh.length,
    addedBefore: known,
    byGamemode: Object.fromEntries(counts),
    withoutGamemode: skipped,
    unreadable,
    cut,
    unrecognized: { count: unrecognized.count(), examples: unrecognized.examples() },
  }
}

const MAX_NAMED = 5

function showPreview({ target, terminal: { note } }: Session, preview: Preview, paths: readonly string[]): void {
  const { logs, fresh, known, skipped, servers, counts, unreadable, cut } = preview
  const times = fresh.map(({ one }) => one.caughtAt)
  const day = (at: number) => new Date(at).toLocaleDateString('sv')
  const earliest = times.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
  const latest = times.reduce((one, other) => Math.max(one, other), 0)
  const span = times.length === 0 ? '' : `, ${day(earliest)} to ${day(latest)}`
  const where = listText(paths)
  const of = logs === paths.length ? '' : `${logs === 1 ? '1 log' : `${logs} logs`} in `
  note(`fish-cli: ${of}${where}: ${catchesText(fresh.length)} to add${span}; ${known} already added.`)
  for (const [gamemode, totals] of counts) note(`  ${gamemode}: ${totalsText(totals)}`)
  if (skipped > 0) {
    const words = [...paths, ...targetWords(target), '--gamemode', 'GAMEMODE']
    note(`  Skipped ${catchesText(skipped)} without a gamemode, on ${listText([...servers])}.`)
    note(`  To add them: ${commandLine('watch', '--once', ...words)}`)
  }
  if (cut.length > 0) note(`  Incomplete, so read only up to the cut: ${listText(cut)}`)
  if (unreadable.length > 0) note(`  Cannot be read: ${listText(unreadable)}`)
}

function listText(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED
  return `${names.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

const CHUNK = 1000

interface Additions {
  readonly user: string
  readonly found: Found
  readonly preview: Preview
  readonly keepsPositions: boolean
}

async function addAll(
  session: Session,
  outbox: Outbox,
  { user, found, preview, keepsPositions }: Additions,
): Promise<{ readonly status: ExitStatus; readonly added: number; readonly sent: number }> {
  let added = 0
  for (let from = 0; from < preview.fresh.length; from += CHUNK) {
    session.signal.throwIfAborted()
    const chunk = preview.fresh.slice(from, from + CHUNK)
    added += (await outbox.add(chunk.map(({ one, gamemode }) => toNewCatch(user, one, gamemode)))).added
  }
  // The stored positions let `watch` continue after these catches.
  for (const { path, position } of keepsPositions ? found.positions : []) {
    await outbox.add([], { checkpoint: checkpoint({ user, path }, position) })
  }
  // The outbox is flushed even without new catches, because an earlier run may have been killed before it sent all
  // catches.
  const report = await flushWithProgress(session, outbox)
  return { status: flushStatus(session, report), added, sent: report.delivered }
}
