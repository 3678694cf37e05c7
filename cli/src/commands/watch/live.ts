import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Gamemode } from '@fish-crab/sdk/constants'
import type { Outbox } from '@fish-crab/sdk/outbox'
import { catchesText } from '../../core/amounts.ts'
import { commandLine } from '../../core/argv.ts'
import { usageError } from '../../core/errors.ts'
import { interruptedError, rejectedHelp } from '../../session/delivery.ts'
import { fetchGamemodes } from '../../session/gamemodes.ts'
import { knownKeys } from '../../session/outbox.ts'
import type { Session } from '../../session/session.ts'
import { settingValue } from '../../session/settings.ts'
import { gamemodeWords, targetWords } from '../../session/target.ts'
import { createUnrecognizedCounter, noteUnrecognized, type UnrecognizedCounter } from './chat-reader.ts'
import { findEnd, follow } from './follow.ts'
import type { PlayerLocation } from './location.ts'
import { findLogs, gamesAmong, usualLocations } from './locations.ts'
import { openLog } from './log-file.ts'
import type { Batch } from './log-reader.ts'
import { promptForGamemode, type WatchOptions } from './options.ts'
import type { LogPosition } from './parser.ts'
import { acceptPlayers, createPlayerNotes, otherPlayer, otherPlayers, type PlayerNames } from './players.ts'
import { catchKey, type GamemodeResolver, gamemodeResolver, outboxRecorder, readPosition } from './recorder.ts'
import { createCatchPrinter, parseNotify, reportDelivery, sendDelayMs, showQueue, totalsText } from './report.ts'

interface GameLog {
  readonly path: string
  readonly launcher?: string
}

/** A log that {@link followLogs} follows, at the position up to which the log was read. */
export interface FollowedLog extends GameLog, PlayerLocation {
  /** The player in the log, if the game runs as another player, so that its catches are not added. */
  readonly otherPlayer: string | undefined
  /** Number of older catches in the log that were never added. */
  readonly skipped: number
  /** Number of messages that look like catches but are not recognized. */
  readonly unrecognized: number
}

interface Started extends GameLog {
  /** `undefined` if the log has no lines yet. */
  readonly position: LogPosition | undefined
  /** Number of older catches in the log that were never added. */
  readonly skipped: number
}

const RESCAN_MS = 10_000

export interface FollowedLogs {
  readonly followed: readonly FollowedLog[]
  /** Logs of games that have a newer log. */
  readonly skipped: readonly GameLog[]
  /** The gamemode for logs that do not name a gamemode. */
  readonly usual: Gamemode | undefined
}

interface FollowHooks {
  /** Called when later catches are noticed. `usual` is the gamemode for logs that do not name a gamemode. */
  readonly onStart?: (usual: Gamemode | undefined) => void
  /** Called before `onStart` and after each change. */
  readonly onLogs?: (logs: FollowedLogs) => void
}

/**
 * Follows logs until Ctrl-C: the named logs, or else the logs of all games.
 * @throws CliError `interrupted`
 */
export async function followLogs(
  session: Session,
  options: WatchOptions,
  { onStart = () => {}, onLogs = () => {} }: FollowHooks = {},
): Promise<never> {
  const { terminal } = session
  const { user, flags, paths } = options
  const notify = parseNotify(flags.notify ?? settingValue('notify', session.env, session.config.settings))
  const locations = usualLocations(session)
  const found = paths.length > 0 ? [] : await findLogs(locations)
  const seen = new Set(found.map(({ path }) => path))
  const logs: readonly GameLog[] = paths.length > 0 ? paths.map((path) => ({ path })) : gamesAmong(found)
  for (const { path } of paths.length > 0 ? logs : []) await (await openLog(path, options.encoding))?.close()
  const outbox = await session.outbox({ user, delayMs: sendDelayMs })
  const failure = new AbortController()
  const interrupted = session.signal
  const signal = AbortSignal.any([interrupted, failure.signal])
  const printer = createCatchPrinter(terminal, notify)
  const unrecognized = createUnrecognizedCounter()
  const running: Promise<unknown>[] = []
  try {
    const started: Started[] = []
    for (const log of logs) started.push(await start(session, log, { ...options, outbox, signal }))
    const others = otherPlayers(
      started.map(({ position }) => position ?? {}),
      options.ownNames,
    )
    const isOwn = ({ position }: Started) => otherPlayer(position ?? {}, options.ownNames) === undefined
    // The catches of another player are held if a log of the player is followed too.
    const ownNames = started.some(isOwn) ? options.ownNames : await acceptPlayers(terminal, others, options)
    const notePlayer = createPlayerNotes(terminal, user, ownNames)
    const usual = options.gamemode.usual ?? (await gamemodeIfUnknown(session, started))
    const gamemode = { ...options.gamemode, usual }
    noteStart(session, started, { ...options, gamemode })
    for (const { position } of started) notePlayer(position ?? {})
    const { rejected } = await outbox.status()
    if (rejected > 0) terminal.note(`fish-cli: ${catchesText(rejected)} rejected earlier. ${rejectedHelp(session)}`)
    reportDelivery(session, outbox)
    outbox.start()
    showQueue(terminal, outbox)

    const gamemodeOf = gamemodeResolver(gamemode.flag, usual)
    const followed = new Map<string, FollowedLog>()
    const skipped = found.filter(({ path }) => logs.every((log) => log.path !== path))
    const update = (log: FollowedLog) => {
      followed.set(log.path, log)
      onLogs({ followed: [...followed.values()], skipped, usual })
    }
    const followOne = ({ position, ...log }: Started) => {
      const stateOf = ({ gamemode, elsewhere, player }: Partial<LogPosition> = {}) => {
        return { gamemode, elsewhere, otherPlayer: otherPlayer({ player }, ownNames) }
      }
      let current: FollowedLog = { ...log, ...stateOf(position), unrecognized: 0 }
      update(current)
      const onBatch = (batch: Batch) => {
        const next = {
          ...current,
          ...stateOf(batch.position),
          unrecognized: current.unrecognized + batch.unrecognized.length,
        }
        if (isDeepStrictEqual(next, current)) return
        current = next
        update(current)
      }
      const work = followGame(
        session,
        { ...log, position },
        {
          ...options,
          onBatch,
          outbox,
          signal,
          gamemodeOf,
          printer,
          unrecognized,
          ownNames,
          notePlayer,
        },
      )
      running.push(work.catch((error) => failure.abort(error)))
    }
    for (const log of started) followOne(log)
    onStart(usual)
    for (;;) {
      await sleep(RESCAN_MS, undefined, { signal })
      for (const { path, launcher } of paths.length > 0 ? [] : await findLogs(locations)) {
        if (seen.has(path)) continue
        seen.add(path)
        terminal.note(`fish-cli: Also watching ${path}.`)
        followOne({ path, launcher, position: await readPosition(outbox, { user, path }), skipped: 0 })
      }
    }
  } catch (error) {
    if (!interrupted.aborted) throw failure.signal.aborted ? failure.signal.reason : error
    await Promise.all(running)
    terminal.note(`fish-cli: ${totalsText(printer.totals())}.`)
    noteUnrecognized(session, unrecognized)
    throw await interruptedError(session, outbox)
  } finally {
    failure.abort()
    await Promise.all(running)
    // Ctrl-C does not wait for a pending request, because the batch of the request is on disk and will be sent again.
    await outbox.close({ signal })
  }
}

interface GameOptions extends StartOptions {
  readonly gamemodeOf: GamemodeResolver
  readonly printer: ReturnType<typeof createCatchPrinter>
  readonly unrecognized: UnrecognizedCounter
  readonly ownNames: PlayerNames
  readonly notePlayer: ReturnType<typeof createPlayerNotes>
  readonly onBatch: (batch: Batch) => void
}

async function followGame(
  { clock, target, terminal }: Session,
  { path, position }: Pick<Started, 'path' | 'position'>,
  {
    user,
    outbox,
    gamemodeOf,
    printer,
    unrecognized,
    ownNames,
    notePlayer,
    onBatch,
    signal,
    chat,
    encoding,
  }: GameOptions,
): Promise<void> {
  const addHeld = (player: string | undefined) => {
    const words = player === undefined ? ['--gamemode', 'GAMEMODE'] : ['--user-in-log', player]
    return commandLine('watch', '--once', path, ...targetWords(target), ...words)
  }
  const recorder = outboxRecorder(outbox, { user, path, gamemodeOf, ownNames })
  try {
    if (position) await recorder.record({ catches: [], position })
    await follow({
      path,
      position,
      signal,
      clock,
      chat,
      encoding,
      onMissing: () => terminal.note(`fish-cli: No log at ${path} yet. Waiting for the log.`),
      onBatch: async (batch) => {
        for (const one of await recorder.record(batch)) printer.print(one, addHeld)
        unrecognized.add(batch.unrecognized, dirname(path))
        notePlayer(batch.position)
        onBatch(batch)
      },
    })
  } finally {
    await recorder.finish()
  }
}

interface StartOptions extends WatchOptions {
  readonly outbox: Outbox
  readonly signal: AbortSignal
}

async function start(
  session: Session,
  log: GameLog,
  { user, outbox, signal, chat, encoding }: StartOptions,
): Promise<Started> {
  const known = await readPosition(outbox, { user, path: log.path })
  if (known) return { ...log, position: known, skipped: 0 }
  const { position, skipped } = await findEnd(log.path, { signal, chat, encoding })
  const isAdded = await knownKeys(session)
  return { ...log, position, skipped: skipped.filter((one) => !isAdded(catchKey(user, one))).length }
}

/**
 * Returns the gamemode for logs that do not name a gamemode.
 * @throws CliError `usage`
 */
async function gamemodeIfUnknown(session: Session, started: readonly Started[]) {
  if (started.some(({ position }) => (position?.gamemode ?? position?.elsewhere) !== undefined)) return undefined
  const gamemode = await promptForGamemode(session)
  if (gamemode !== undefined) return gamemode
  throw usageError(
    'The gamemode is missing, and the log does not name a gamemode.',
    `Add --gamemode with one of ${(await fetchGamemodes(session)).join(', ')}.`,
  )
}

function noteStart(
  { target, terminal: { note }, url }: Session,
  started: readonly Started[],
  { user, gamemode }: WatchOptions,
): void {
  const count = started.length === 1 ? 'a log' : `${started.length} logs`
  note(`fish-cli: Watching ${count} for ${user} at ${url}:`)
  for (const { path, launcher, position, skipped } of started) {
    const name = launcher === undefined ? path : `${path} (${launcher})`
    const skips = skipped === 0 ? '' : ` Skipped ${catchesText(skipped)} already in the log.`
    note(`  ${name}: ${gamemodeText(position, gamemode)}.${skips}`)
  }
  const skipping = started.filter(({ skipped }) => skipped > 0).map(({ path }) => path)
  if (skipping.length === 0) return
  const words = [...skipping, ...targetWords(target), ...gamemodeWords(target)]
  note(`  To add the skipped catches: ${commandLine('watch', '--once', ...words)}`)
}

function gamemodeText(position: LogPosition | undefined, { flag, usual }: WatchOptions['gamemode']): string {
  const { gamemode, elsewhere } = position ?? {}
  if (gamemode) return `gamemode ${gamemode}, from the log`
  if (elsewhere) return `gamemode ${flag ?? 'unknown'}, because you are on ${elsewhere}`
  return usual
    ? `gamemode ${usual}, unless the log names another gamemode`
    : 'gamemode unknown until the log names a gamemode'
}
