import { dirname, resolve } from 'node:path'
import type { Gamemode } from '@fish-crab/sdk'
import { createChatPattern } from '@fish-crab/sdk/chat'
import { rarityLabel } from '@fish-crab/sdk/constants'
import { catchesText, flushStatus, flushWithProgress, interruptedError } from '../client/flush.ts'
import { askForGamemodes, findGamemode, gamemodeOf } from '../client/gamemodes.ts'
import { knownKeys, openPlayerOutbox } from '../client/outbox.ts'
import { knownGamemodes } from '../config/gamemodes.ts'
import { configPath, homeFolder } from '../config/paths.ts'
import { settingValue } from '../config/settings.ts'
import { gamemodeWords, maxWaitOf, requireUser, type Target, targetWords } from '../config/target.ts'
import { commandLine } from '../core/command-line.ts'
import type { Context, Notes } from '../core/context.ts'
import { CliError, EXIT, type ExitStatus, usageError } from '../core/errors.ts'
import { parseRarity } from '../core/parse-values.ts'
import { localTime } from '../core/time.ts'
import { canRewrite } from '../output/live-view.ts'
import { createNotifier } from '../output/notify.ts'
import { canPrompt } from '../output/prompt.ts'
import { printable } from '../output/text.ts'
import {
  createChatReader,
  createUnrecognizedCounter,
  noteUnrecognized,
  type UnrecognizedCounter,
} from './chat-reader.ts'
import type { createDashboard } from './dashboard.ts'
import { follow } from './follow.ts'
import type { PlayerLocation } from './gamemode.ts'
import { type FoundLog, findLog, logLocations } from './locations.ts'
import { checkLogs, isGzipped } from './log-file.ts'
import type { ChatReader, WatchedCatch } from './parser.ts'
import {
  catchKey,
  gamemodeResolver,
  type HeldCatch,
  outboxRecorder,
  type RecordedCatch,
  type Recorder,
  readCheckpoint,
} from './recorder.ts'
import { type CatchPrinter, createCatchPrinter, reportDelivery, sendDelayMs, totalsText } from './report.ts'

interface WatchFlags {
  readonly gamemode?: string | undefined
  readonly json?: boolean | undefined
  readonly once?: boolean | undefined
  readonly 'from-start'?: boolean | undefined
  readonly 'no-input'?: boolean | undefined
  readonly history?: string | undefined
  readonly notify?: string | undefined
  readonly yes?: boolean | undefined
  readonly 'dry-run'?: boolean | undefined
}

interface WatchOptions {
  readonly target: Target
  readonly paths: readonly string[]
  readonly flags: WatchFlags
}

/** @throws CliError `interrupted` */
export async function watchLogs(context: Context & Notes, { target, paths, flags }: WatchOptions): Promise<ExitStatus> {
  const given = await gamemodeOf(context, target)
  const [flag, preset] = flags.gamemode === undefined ? [undefined, given] : [given, undefined]
  if (!flags.once && flags.history === undefined) requireFollowable(paths)
  const user = requireUser(target, 'Add --user USER')
  const gamemodes = knownGamemodes(context, target.url.value)
  const chat = chatReaderOf(context, gamemodes)
  const wanted = parseNotify(flags.notify ?? settingValue('notify', context.env, context.config.settings))
  if (flags.history !== undefined) {
    const fallback = await fallbackGamemode(context, { target, flags }, { flag, preset, location: {} })
    const { addHistory } = await import('./history.ts')
    return addHistory(context, { target, user, folder: flags.history, chat, gamemode: { flag, fallback }, flags })
  }
  const maxWaitMs = maxWaitOf(target)
  const logs = await findLogs(context, paths)
  await checkLogs(
    logs.map(({ path }) => path),
    flags.once === true,
  )
  let nextSendAt = 0
  const delayMs: typeof sendDelayMs = (state, now) => {
    const ms = sendDelayMs(state, now)
    nextSendAt = now + ms
    return ms
  }
  const outbox = await openPlayerOutbox(context, target, { user, noInput: flags['no-input'], delayMs })
  const signal = context.interrupted()
  const quitting = new AbortController()
  const stop = AbortSignal.any([signal, quitting.signal])
  try {
    const checkpoint = await readCheckpoint(outbox, { user, path: logs[0].path })
    // The last location says nothing about the start of the log.
    const location = flags['from-start'] ? {} : (checkpoint?.place ?? {})
    const fallback = await fallbackGamemode(context, { target, flags }, { flag, preset, location })
    const usual = gamemodeResolver(flag, fallback)
    const dashboard = await openDashboard(context, flags, {
      ...{ user, target, outbox, location, gamemodes, gamemodeOf: usual, noInput: flags['no-input'] },
      ...{ path: logs[0].path, launcher: logs[0].launcher, quit: () => quitting.abort(), nextSendAt: () => nextSendAt },
    })
    if (!dashboard) {
      const gamemode = gamemodeText({ flag, fallback, location })
      context.note(
        `fish-cli: Watching ${logsText(logs)} for ${printable(user)} at ${printable(target.url.value)}; ${gamemode}.`,
      )
    }
    const shown = dashboard?.context ?? context
    noteOthers(shown, logs[0].others, target)
    const unsubscribe = reportDelivery(shown, outbox)
    if (!flags.once) outbox.start()
    const notify = notifierOf(context, wanted)
    const printer = createCatchPrinter(shown, {
      json: flags.json,
      hasTotals: dashboard === undefined,
      write: dashboard?.print,
      onCatch(one) {
        dashboard?.add(one)
        notify(one)
      },
    })
    const unrecognized = createUnrecognizedCounter()
    let before: PlayerLocation | undefined
    try {
      for (const { path } of logs) {
        const owner = { user, path }
        const resolver = {
          checkpoint: await readCheckpoint(outbox, owner),
          gamemodeOf: dashboard?.gamemodeOf ?? usual,
        }
        const recorder = outboxRecorder(outbox, owner, resolver)
        const reading = {
          path,
          user,
          target,
          addHeld: addHeldCommand(path, target),
          before,
          flags,
          chat,
          recorder,
          printer,
          unrecognized,
        }
        before = await readLog(shown, { ...reading, onMove: dashboard?.moved, signal: stop })
      }
    } catch (error) {
      dashboard?.end()
      if (!stop.aborted) throw error
      await dashboard?.finish()
      noteUnrecognized(context, unrecognized, target)
      // On a screen, the summary says it.
      if (!dashboard) throw await interruptedError(outbox, target)
      return signal.aborted ? EXIT.interrupted : EXIT.ok
    }
    unsubscribe()
    const report = await flushWithProgress(context, outbox, { maxWaitMs, signal, target })
    context.note(`fish-cli: ${totalsText(printer.totals())}; ${report.delivered} sent.`)
    noteUnrecognized(context, unrecognized, target)
    const status = flushStatus(context, report, target)
    return printer.held() > 0 ? EXIT.partly : status
  } finally {
    // Ctrl-C does not wait for a request in flight: its frozen batch is on disk and is sent again.
    await outbox.close({ signal: stop })
  }
}

/** @throws CliError `invalid_config` */
function chatReaderOf(context: Context, gamemodes: readonly Gamemode[]): ChatReader {
  for (const [index, template] of context.config.patterns.entries()) {
    try {
      createChatPattern(template)
    } catch (error) {
      throw new CliError({
        code: 'invalid_config',
        message: `Pattern ${index + 1} of ${configPath(context)} cannot be used: ${(error as Error).message}`,
        hint: 'Correct it. For examples: fish-cli watch --help',
        exit: EXIT.usage,
      })
    }
  }
  return createChatReader(context.config.patterns, gamemodes)
}

async function openDashboard(
  context: Context & Notes,
  flags: WatchFlags,
  options: Parameters<typeof createDashboard>[1],
) {
  if (flags.once || flags.json || !canRewrite(context)) return undefined
  const { createDashboard } = await import('./dashboard.ts')
  return createDashboard(context, options)
}

/** Only on a screen: elsewhere, a bell would be a character of the output. */
function notifierOf(context: Context, wanted: ReadonlySet<string>): (one: RecordedCatch | HeldCatch) => void {
  if (wanted.size === 0 || !canRewrite(context)) return () => {}
  const notify = createNotifier(context)
  return ({ name, rarity = '', firstTime }) => {
    if (!wanted.has(rarity) && !(firstTime && wanted.has(FIRST))) return
    notify([name, rarity, firstTime ? 'first of its kind' : ''].filter((part) => part !== '').join(', '))
  }
}

const FIRST = 'first'

/** Labels of rarities, and `first`. */
function parseNotify(text: string | undefined): ReadonlySet<string> {
  const words = (text ?? '').split(',').map((word) => word.trim().toLowerCase())
  return new Set(
    words
      .filter((word) => word !== '' && word !== 'off')
      .map((word) => {
        if (word === FIRST) return FIRST
        const value = parseRarity(word)
        if (value === undefined) {
          throw usageError('--notify (FISH_NOTIFY) names an unknown rarity.', 'For example: gold,mythical,first')
        }
        return rarityLabel(value)
      }),
  )
}

function addHeldCommand(path: string, target: Target): string {
  return commandLine('watch', printable(path), '--once', ...targetWords(target), '--gamemode', 'GAMEMODE')
}

const MAX_OTHERS = 3

function noteOthers(context: Notes, others: readonly FoundLog[], target: Target): void {
  const [first] = others
  if (!first) return
  const named = others.slice(0, MAX_OTHERS).map(({ path, writtenAt }) => {
    return `${printable(path)} (last written ${localTime(new Date(writtenAt))})`
  })
  const more = others.length > MAX_OTHERS ? ` and ${others.length - MAX_OTHERS} more` : ''
  const watchFirst = commandLine('watch', printable(first.path), ...targetWords(target), ...gamemodeWords(target))
  const text = `Other games on this machine are not watched: ${named.join(', ')}${more}.`
  context.note(`fish-cli: ${text} To watch the first: ${watchFirst}`)
}

function noteSkipped(context: Notes, count: number, { path, target }: Pick<ReadLogOptions, 'path' | 'target'>): void {
  const words = ['--from-start', '--once', ...targetWords(target), ...gamemodeWords(target)]
  const [were, them] = count === 1 ? ['was', 'it'] : ['were', 'them']
  const text = `Skipped ${catchesText(count)} that ${were} already in the log.`
  context.note(`fish-cli: ${text} To add ${them}: ${commandLine('watch', printable(path), ...words)}`)
}

interface ReadLogOptions {
  readonly path: string
  readonly user: string
  readonly target: Target
  /** The command that adds the catches of this log that are held back. */
  readonly addHeld: string
  readonly before: PlayerLocation | undefined
  readonly flags: WatchFlags
  readonly chat: ChatReader
  readonly recorder: Recorder
  readonly printer: CatchPrinter
  readonly unrecognized: UnrecognizedCounter
  readonly onMove: ((where: PlayerLocation) => void) | undefined
  readonly signal: AbortSignal
}

/** @returns where the player was at the end */
async function readLog(context: Context & Notes, options: ReadLogOptions): Promise<PlayerLocation> {
  const { path, user, target, addHeld, before, flags, chat, recorder, printer, unrecognized, onMove, signal } = options
  const { place } = recorder
  const noteHeld = () => {
    const count = recorder.held()
    const held = `${catchesText(count)} ${count === 1 ? 'is' : 'are'} held back on this machine.`
    context.note(`fish-cli: ${held} To add them: ${addHeld}`)
  }
  for (const one of await recorder.release()) printer.print(one, addHeld)
  if (recorder.held() > 0) noteHeld()
  const heldBefore = printer.held()
  const missedIn = async (catches: readonly WatchedCatch[]) => {
    if (catches.length === 0) return 0
    const isAdded = await knownKeys(context, target.url.value)
    return catches.filter((one) => !isAdded(catchKey(user, one))).length
  }
  let location: PlayerLocation = place ?? {}
  const skipped: WatchedCatch[] = []
  try {
    await follow({
      path,
      place,
      before,
      // A single read that began at the end would do nothing.
      fromStart: flags['from-start'] ?? (flags.once === true && !place),
      once: flags.once ?? false,
      signal,
      clock: context.clock,
      chat,
      onNote: (text) => context.note(`fish-cli: ${text}`),
      onSkip: (catches) => void skipped.push(...catches),
      onBatch: async (batch) => {
        const missed = await missedIn(skipped.splice(0))
        if (missed > 0) noteSkipped(context, missed, options)
        for (const one of await recorder.record(batch)) printer.print(one, addHeld)
        unrecognized.add(batch.unrecognized, dirname(path))
        location = batch.place
        onMove?.(location)
      },
    })
    return location
  } finally {
    await recorder.finish()
    if (printer.held() > heldBefore) noteHeld()
  }
}

interface GamemodeSources {
  readonly flag: Gamemode | undefined
  readonly location: PlayerLocation
}

/** For catches for which the log names none. */
async function fallbackGamemode(
  context: Context,
  { target, flags }: Pick<WatchOptions, 'target' | 'flags'>,
  { flag, preset, location }: GamemodeSources & { readonly preset: Gamemode | undefined },
): Promise<Gamemode | undefined> {
  if (flag ?? preset ?? location.gamemode ?? location.elsewhere) return preset
  if (!canPrompt(context, flags['no-input'])) {
    throw usageError(
      'No gamemode for catches where the log names none.',
      'Set FISH_GAMEMODE, add --gamemode GAMEMODE, or: fish-cli config gamemode GAMEMODE',
    )
  }
  const { promptLine } = await import('../output/prompt.ts')
  const gamemodes = await askForGamemodes(context, target)
  const question = `Gamemode if the log names none (${gamemodes.join(', ')})? `
  const typed = ((await promptLine(context, { question, isSecret: false })) ?? '').trim()
  return findGamemode(context, target, typed, 'The answer')
}

function gamemodeText({
  flag,
  fallback,
  location: { gamemode, elsewhere },
}: GamemodeSources & { readonly fallback: Gamemode | undefined }): string {
  if (flag) return `gamemode ${flag}`
  if (gamemode) return `gamemode ${gamemode}, from the log`
  if (elsewhere) return `gamemode unknown, since you are in ${printable(elsewhere)}`
  return `gamemode ${fallback}, unless the log names another`
}

type Logs = readonly [WatchedLog, ...WatchedLog[]]

interface WatchedLog {
  readonly path: string
  readonly launcher?: string
  readonly others: readonly FoundLog[]
}

async function findLogs({ env }: Context, [first, ...others]: readonly string[]): Promise<Logs> {
  const given = (path: string): WatchedLog => ({ path: resolve(path), others: [] })
  if (first !== undefined) return [given(first), ...others.map(given)]
  return [await findLog(logLocations({ platform: process.platform, env, home: homeFolder(env) }))]
}

function logsText(logs: Logs): string {
  const files = logs.map(({ path }) => printable(path)).join(', ')
  const [{ launcher }] = logs
  return launcher === undefined ? files : `the log of ${launcher}, ${files},`
}

function requireFollowable(paths: readonly string[]): void {
  if (paths.length > 1) throw usageError('Only one log can be followed at a time.', 'Add --once to read several logs.')
  if (paths.some(isGzipped)) throw usageError('A compressed log cannot be followed.', 'Add --once to read it.')
}
