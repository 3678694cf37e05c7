import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Outbox } from '@fish-crab/sdk/outbox'
import { catchesText, interruptedError, REJECTED_HELP } from '../client/flush.ts'
import { askForGamemodes } from '../client/gamemodes.ts'
import { knownKeys, openPlayerOutbox } from '../client/outbox.ts'
import { settingValue } from '../config/settings.ts'
import { gamemodeWords, targetWords } from '../config/target.ts'
import { commandLine } from '../core/command-line.ts'
import type { Context, Notes } from '../core/context.ts'
import { usageError } from '../core/errors.ts'
import { printable } from '../output/text.ts'
import { createUnrecognizedCounter, noteUnrecognized, type UnrecognizedCounter } from './chat-reader.ts'
import { findEnd, follow } from './follow.ts'
import { findGames, findLogs, usualLocations } from './locations.ts'
import { openLog } from './log-file.ts'
import { askForGamemode, type WatchOptions } from './options.ts'
import type { LogPosition } from './parser.ts'
import { acceptPlayers, createPlayerNotes, otherPlayer, otherPlayers, type PlayerNames } from './players.ts'
import { catchKey, type GamemodeResolver, gamemodeResolver, outboxRecorder, readPosition } from './recorder.ts'
import { createCatchPrinter, parseNotify, reportDelivery, sendDelayMs, showQueue, totalsText } from './report.ts'

interface GameLog {
  readonly path: string
  readonly launcher?: string
}

interface Started extends GameLog {
  /** `undefined` if the log has no lines yet. */
  readonly position: LogPosition | undefined
  /** Number of older catches in the log that were never added. */
  readonly skipped: number
}

const RESCAN_MS = 10_000

/** Follows logs until Ctrl-C: the named logs, or else the logs of all games. @throws CliError `interrupted` */
export async function followLogs(context: Context & Notes, options: WatchOptions): Promise<never> {
  const { target, user, flags, paths } = options
  const notify = parseNotify(flags.notify ?? settingValue('notify', context.env, context.config.settings))
  const locations = usualLocations(context)
  const seen = new Set((await findLogs(paths.length > 0 ? [] : locations)).map(({ path }) => path))
  const logs: readonly GameLog[] = paths.length > 0 ? paths.map((path) => ({ path })) : await findGames(locations)
  for (const { path } of paths.length > 0 ? logs : []) await (await openLog(path, options.encoding))?.close()
  const outbox = await openPlayerOutbox(context, target, { user, noInput: flags['no-input'], delayMs: sendDelayMs })
  const failure = new AbortController()
  const interrupted = context.interrupted()
  const signal = AbortSignal.any([interrupted, failure.signal])
  const printer = createCatchPrinter(context, { json: flags.json, notify })
  const unrecognized = createUnrecognizedCounter()
  const running: Promise<unknown>[] = []
  try {
    const started: Started[] = []
    for (const log of logs) started.push(await start(context, log, { ...options, outbox, signal }))
    const others = otherPlayers(
      started.map(({ position }) => position ?? {}),
      options.ownNames,
    )
    const isOwn = ({ position }: Started) => otherPlayer(position ?? {}, options.ownNames) === undefined
    // The catches of another player are held if a log of the player is followed too.
    const ownNames = started.some(isOwn)
      ? options.ownNames
      : await acceptPlayers(context, others, { ...options, 'no-input': flags['no-input'] })
    const notePlayer = createPlayerNotes(context, user, ownNames)
    const usual = options.gamemode.usual ?? (await gamemodeIfUnknown(context, started, options))
    const gamemode = { ...options.gamemode, usual }
    noteStart(context, started, { ...options, gamemode })
    for (const { position } of started) notePlayer(position ?? {})
    const { rejected } = await outbox.status()
    if (rejected > 0) context.note(`fish-cli: ${catchesText(rejected)} rejected earlier. ${REJECTED_HELP}`)
    reportDelivery(context, outbox)
    outbox.start()
    if (!flags.json) showQueue(context, outbox)

    const gamemodeOf = gamemodeResolver(gamemode.flag, usual)
    const followOne = (log: Pick<Started, 'path' | 'position'>) => {
      const work = followGame(context, log, {
        ...options,
        outbox,
        signal,
        gamemodeOf,
        printer,
        unrecognized,
        ownNames,
        notePlayer,
      })
      running.push(work.catch((error) => failure.abort(error)))
    }
    for (const log of started) followOne(log)
    for (;;) {
      await sleep(RESCAN_MS, undefined, { signal })
      for (const { path } of paths.length > 0 ? [] : await findLogs(locations)) {
        if (seen.has(path)) continue
        seen.add(path)
        context.note(`fish-cli: Also watching ${printable(path)}.`)
        followOne({ path, position: await readPosition(outbox, { user, path }) })
      }
    }
  } catch (error) {
    if (!interrupted.aborted) throw failure.signal.aborted ? failure.signal.reason : error
    await Promise.all(running)
    context.note(`fish-cli: ${totalsText(printer.totals())}.`)
    noteUnrecognized(context, unrecognized, target)
    throw await interruptedError(outbox, target)
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
}

async function followGame(
  context: Context & Notes,
  { path, position }: Pick<Started, 'path' | 'position'>,
  {
    target,
    user,
    outbox,
    gamemodeOf,
    printer,
    unrecognized,
    ownNames,
    notePlayer,
    signal,
    chat,
    encoding,
  }: GameOptions,
): Promise<void> {
  const addHeld = (player: string | undefined) => {
    const words = player === undefined ? ['--gamemode', 'GAMEMODE'] : ['--user-in-log', player]
    return commandLine('watch', '--once', printable(path), ...targetWords(target), ...words)
  }
  const recorder = outboxRecorder(outbox, { user, path, gamemodeOf, ownNames })
  try {
    if (position) await recorder.record({ catches: [], position })
    await follow({
      path,
      position,
      signal,
      clock: context.clock,
      chat,
      encoding,
      onMissing: () => context.note(`fish-cli: No log at ${printable(path)} yet. Waiting for the log.`),
      onBatch: async (batch) => {
        for (const one of await recorder.record(batch)) printer.print(one, addHeld)
        unrecognized.add(batch.unrecognized, dirname(path))
        notePlayer(batch.position)
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
  context: Context,
  log: GameLog,
  { target, user, outbox, signal, chat, encoding }: StartOptions,
): Promise<Started> {
  const known = await readPosition(outbox, { user, path: log.path })
  if (known) return { ...log, position: known, skipped: 0 }
  const { position, skipped } = await findEnd(log.path, { signal, chat, encoding })
  const isAdded = await knownKeys(context, target.url.value)
  return { ...log, position, skipped: skipped.filter((one) => !isAdded(catchKey(user, one))).length }
}

/** Returns the gamemode for logs that do not name a gamemode. @throws CliError `usage` */
async function gamemodeIfUnknown(context: Context, started: readonly Started[], { target, flags }: WatchOptions) {
  if (started.some(({ position }) => (position?.gamemode ?? position?.elsewhere) !== undefined)) return undefined
  const gamemode = await askForGamemode(context, target, flags)
  if (gamemode !== undefined) return gamemode
  throw usageError(
    'The gamemode is missing, and the log does not name a gamemode.',
    `Add --gamemode with one of ${(await askForGamemodes(context, target)).join(', ')}.`,
  )
}

function noteStart({ note }: Notes, started: readonly Started[], { target, user, gamemode }: WatchOptions): void {
  const count = started.length === 1 ? 'a log' : `${started.length} logs`
  note(`fish-cli: Watching ${count} for ${printable(user)} at ${printable(target.url.value)}:`)
  for (const { path, launcher, position, skipped } of started) {
    const name = launcher === undefined ? printable(path) : `${printable(path)} (${launcher})`
    const skips = skipped === 0 ? '' : ` Skipped ${catchesText(skipped)} already in the log.`
    note(`  ${name}: ${gamemodeText(position, gamemode)}.${skips}`)
  }
  const skipping = started.filter(({ skipped }) => skipped > 0).map(({ path }) => printable(path))
  if (skipping.length === 0) return
  const words = [...skipping, ...targetWords(target), ...gamemodeWords(target)]
  note(`  To add the skipped catches: ${commandLine('watch', '--once', ...words)}`)
}

function gamemodeText(position: LogPosition | undefined, { flag, usual }: WatchOptions['gamemode']): string {
  const { gamemode, elsewhere } = position ?? {}
  if (gamemode) return `gamemode ${gamemode}, from the log`
  if (elsewhere) return `gamemode ${flag ?? 'unknown'}, because you are on ${printable(elsewhere)}`
  return usual
    ? `gamemode ${usual}, unless the log names another gamemode`
    : 'gamemode unknown until the log names a gamemode'
}
