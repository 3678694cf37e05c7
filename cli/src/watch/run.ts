import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Gamemode } from '@fish-crab/sdk'
import { createChatPattern } from '@fish-crab/sdk/chat'
import { rarityLabel } from '@fish-crab/sdk/constants'
import type { Outbox } from '@fish-crab/sdk/outbox'
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
import { canPrompt } from '../output/prompt.ts'
import { printable } from '../output/text.ts'
import {
  createChatReader,
  createUnrecognizedCounter,
  noteUnrecognized,
  type UnrecognizedCounter,
} from './chat-reader.ts'
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
  const folder = paths.length === 1 && isFolder(paths[0]) ? paths[0] : undefined
  requireReadable(paths, folder, flags)
  const user = requireUser(target, 'Add --user USER')
  const gamemodes = knownGamemodes(context, target.url.value)
  const chat = chatReaderOf(context, gamemodes)
  const wanted = parseNotify(flags.notify ?? settingValue('notify', context.env, context.config.settings))
  if (folder !== undefined) {
    const fallback = await fallbackGamemode(context, { target, flags }, { flag, preset, location: {} })
    const { addHistory } = await import('./history.ts')
    return addHistory(context, { target, user, folder, chat, gamemode: { flag, fallback }, flags })
  }
  const maxWaitMs = maxWaitOf(target)
  const logs = await findLogs(context, paths)
  await checkLogs(
    logs.map(({ path }) => path),
    flags.once === true,
  )
  const outbox = await openPlayerOutbox(context, target, { user, noInput: flags['no-input'], delayMs: sendDelayMs })
  const signal = context.interrupted()
  try {
    const checkpoint = await readCheckpoint(outbox, { user, path: logs[0].path })
    // The last location says nothing about the start of the log.
    const location = flags['from-start'] ? {} : (checkpoint?.place ?? {})
    const fallback = await fallbackGamemode(context, { target, flags }, { flag, preset, location })
    const usual = gamemodeResolver(flag, fallback)
    const gamemode = gamemodeText({ flag, fallback, location })
    context.note(
      `fish-cli: Watching ${logsText(logs)} for ${printable(user)} at ${printable(target.url.value)}; ${gamemode}.`,
    )
    noteOthers(context, logs[0].others, target)
    const unsubscribe = reportDelivery(context, outbox)
    if (!flags.once) {
      outbox.start()
      if (!flags.json) showQueue(context, outbox)
    }
    const printer = createCatchPrinter(context, { json: flags.json, onCatch: notifierOf(context, wanted) })
    const unrecognized = createUnrecognizedCounter()
    let before: PlayerLocation | undefined
    try {
      for (const { path } of logs) {
        const owner = { user, path }
        const resolver = {
          checkpoint: await readCheckpoint(outbox, owner),
          gamemodeOf: usual,
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
        before = await readLog(context, { ...reading, signal })
      }
    } catch (error) {
      if (!signal.aborted) throw error
      context.note(`fish-cli: ${totalsText(printer.totals())}.`)
      noteUnrecognized(context, unrecognized, target)
      throw await interruptedError(outbox, target)
    }
    unsubscribe()
    const report = await flushWithProgress(context, outbox, { maxWaitMs, signal, target })
    context.note(`fish-cli: ${totalsText(printer.totals())}; ${report.delivered} sent.`)
    noteUnrecognized(context, unrecognized, target)
    const status = flushStatus(context, report, target)
    return printer.held() > 0 ? EXIT.partly : status
  } finally {
    // Ctrl-C does not wait for a request in flight: its frozen batch is on disk and is sent again.
    await outbox.close({ signal })
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

/** On a terminal, a status line shows how many catches wait and were sent. */
function showQueue({ line }: Context, outbox: Outbox): void {
  if (!line.isLive) return
  let sent = 0
  const show = async () => {
    const { pending } = await outbox.status()
    line.set('queue', `${pending} waiting, ${sent} sent`)
  }
  outbox.subscribe((event) => {
    if (event.type === 'delivered') sent += event.count
    // The outbox may be closed meanwhile.
    show().catch(() => {})
  })
  show().catch(() => {})
}

const BELL = '\u0007'

/** Only on a terminal: elsewhere, a bell would be a character of the output. */
function notifierOf(context: Context, wanted: ReadonlySet<string>): (one: RecordedCatch | HeldCatch) => void {
  if (wanted.size === 0 || !canRewrite(context)) return () => {}
  return ({ rarity = '', firstTime }) => {
    if (wanted.has(rarity) || (firstTime && wanted.has(FIRST))) context.stdout.write(BELL)
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
  readonly signal: AbortSignal
}

/** @returns where the player was at the end */
async function readLog(context: Context & Notes, options: ReadLogOptions): Promise<PlayerLocation> {
  const { path, user, target, addHeld, before, flags, chat, recorder, printer, unrecognized, signal } = options
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

function isFolder(path: string | undefined): boolean {
  return path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function requireReadable(paths: readonly string[], folder: string | undefined, flags: WatchFlags): void {
  if (folder === undefined && flags['dry-run']) {
    throw usageError('--dry-run needs a folder.', 'For example: fish-cli watch --once ~/.minecraft/logs --dry-run')
  }
  if (flags.once) return
  if (folder !== undefined) throw usageError('A folder cannot be followed.', 'Add --once to read its logs.')
  if (paths.length > 1) throw usageError('Only one log can be followed at a time.', 'Add --once to read several logs.')
  if (paths.some(isGzipped)) throw usageError('A compressed log cannot be followed.', 'Add --once to read it.')
}
