import { resolve } from 'node:path'
import type { Gamemode } from '@fish-crab/sdk'
import { GAMEMODES } from '@fish-crab/sdk/constants'
import type { Outbox } from '@fish-crab/sdk/outbox'
import { canPrompt } from '../auth/read-secret.ts'
import { catchesText, flushStatus, flushWithProgress, interruptedError } from '../client/flush.ts'
import { openPlayerOutbox } from '../client/outbox.ts'
import { homeFolder } from '../config/paths.ts'
import { gamemodeOf, maxWaitOf, requireUser } from '../config/target.ts'
import { EXIT, usageError } from '../core/errors.ts'
import { parseGamemode } from '../core/gamemode.ts'
import { printable } from '../output/text.ts'
import { follow } from '../watch/follow.ts'
import type { PlayerLocation } from '../watch/gamemode.ts'
import { findLog, logLocations } from '../watch/locations.ts'
import { isGzipped } from '../watch/log-file.ts'
import {
  gamemodeResolver,
  type HeldCatch,
  outboxRecorder,
  type RecordedCatch,
  type Recorder,
  readCheckpoint,
} from '../watch/recorder.ts'
import {
  catchJson,
  catchText,
  reportDelivery,
  sendDelayMs,
  type Totals,
  totalsText,
  withCatch,
} from '../watch/report.ts'
import type { CommandContext } from './define.ts'
import { Args, defineCommand, Flags } from './define.ts'
import { noInputFlag, serviceFlags, userFlag } from './flags.ts'

export const watchCommand = defineCommand({
  summary: 'Follow the game log and add your catches.',
  description:
    'Keeps following when the game restarts. Stop it with Ctrl-C; when started again, it resumes and adds the catches ' +
    'made in between, each once. While the service is unreachable, catches are queued on this machine. Without LOG, it ' +
    'uses the log of the running or latest game: vanilla, Lunar, Feather, Prism or MultiMC. Catches in a place that is ' +
    'not a gamemode, such as a hub, are held back on this machine until you run watch with --gamemode. Needs your key: ' +
    'from login, FISH_KEY or FISH_KEY_FILE.',
  examples: [
    'fish-cli watch',
    'fish-cli watch ~/.minecraft/logs/latest.log --gamemode earth',
    { description: 'Read compressed logs:', command: 'fish-cli watch logs/*.log.gz --once' },
  ],
  args: {
    log: Args.string({
      description: 'path of the log (default: the log of the game); several with --once',
      multiple: true,
    }),
  },
  flags: {
    'from-start': Flags.boolean({ summary: 'Also add catches that are already in the log, each once.' }),
    once: Flags.boolean({ summary: 'Read the existing log, send its catches and exit.' }),
    gamemode: Flags.string({
      char: 'g',
      summary: `Gamemode of all catches, overriding the log: ${GAMEMODES.join(', ')}. FISH_GAMEMODE applies if the log names none.`,
      helpValue: 'GAMEMODE',
    }),
    ...userFlag,
    ...serviceFlags,
    ...noInputFlag,
  },
  completion: { log: { paths: 'files' } },

  async run(context) {
    const { args, flags } = context
    const { target } = context
    const flag = flags.gamemode as Gamemode | undefined
    const preset = flag === undefined ? gamemodeOf(target) : undefined
    requireFollowable(args.log ?? [], flags.once)
    const reader = new LogReader(context)
    const user = requireUser(target, 'Add --user USER')
    const maxWaitMs = maxWaitOf(target)
    const logs = await findLogs(context, args.log)
    const outbox = await openPlayerOutbox(context, target, { user, noInput: flags['no-input'], delayMs: sendDelayMs })
    const signal = context.interrupted()
    try {
      const checkpoint = await readCheckpoint(outbox, { user, path: logs[0].path })
      // The last location says nothing about the start of the log.
      const location = flags['from-start'] ? {} : (checkpoint?.place ?? {})
      const fallback = await fallbackGamemode(context, flags, { flag, preset, location })
      noteStart(context, logs, { user, url: target.url.value, gamemode: gamemodeText({ flag, fallback, location }) })
      const resolver = gamemodeResolver(flag, fallback)
      const unsubscribe = reportDelivery(context, outbox)
      if (!flags.once) outbox.start()
      const recorderOf = async (path: string) => {
        const owner = { user, path }
        return outboxRecorder(outbox, owner, { checkpoint: await readCheckpoint(outbox, owner), gamemodeOf: resolver })
      }
      await readAndReportInterruption(outbox, signal, () => reader.readAll(flags, logs, recorderOf, signal))
      unsubscribe()
      const report = await flushWithProgress(context, outbox, { maxWaitMs, signal })
      context.note(`fish-cli: ${totalsText(reader.totals)}; ${report.sent} sent.`)
      const status = flushStatus(report, (text) => context.note(text))
      return reader.held > 0 ? EXIT.partly : status
    } finally {
      // Ctrl-C does not wait for a request in flight: its frozen batch is on disk and is sent again.
      await outbox.close({ signal })
    }
  },
})

async function readAndReportInterruption(
  outbox: Outbox,
  signal: AbortSignal,
  read: () => Promise<unknown>,
): Promise<void> {
  try {
    await read()
  } catch (error) {
    throw signal.aborted ? await interruptedError(outbox) : error
  }
}

/** Reads logs and prints their catches. */
class LogReader {
  readonly #context: CommandContext<Reading>
  totals: Totals = { fish: 0, crabs: 0 }
  /** Catches held back, since their gamemode is unknown. */
  held = 0
  /** Places already reported as not a gamemode; `null` stands for an unknown place. */
  readonly #reportedPlaces = new Set<string | null>()

  constructor(context: CommandContext<Reading>) {
    this.#context = context
  }

  async readAll(
    flags: Reading,
    logs: Logs,
    recorderOf: (path: string) => Promise<Recorder>,
    signal: AbortSignal,
  ): Promise<number> {
    let before: PlayerLocation | undefined
    for (const { path } of logs) {
      const recorder = await recorderOf(path)
      before = await this.#read({ ...flags, path, before }, recorder, signal)
    }
    return this.held > 0 ? EXIT.partly : EXIT.ok
  }

  /** Reads a log. @returns where the player was at its end */
  async #read(flags: ReadingOne, recorder: Recorder, signal: AbortSignal): Promise<PlayerLocation> {
    const { path, before, json, once = false } = flags
    const { place } = recorder
    for (const one of await recorder.release()) this.#show(one, json)
    if (recorder.held() > 0) noteHeld(this.#context, recorder.held())
    const heldBefore = this.held
    let location: PlayerLocation = place ?? {}
    try {
      await follow({
        path,
        place,
        before,
        // A compressed log is complete: without a checkpoint, all of it is new.
        fromStart: flags['from-start'] ?? (isGzipped(path) && !place),
        once,
        signal,
        clock: this.#context.clock,
        onNote: (text) => this.#context.note(`fish-cli: ${text}`),
        onBatch: async (batch) => {
          const { added, held } = await recorder.record(batch)
          for (const one of added) this.#show(one, json)
          for (const one of held) this.#showHeld(one, json)
          location = batch.place
        },
      })
      return location
    } finally {
      await recorder.finish()
      if (this.held > heldBefore) noteHeld(this.#context, recorder.held())
    }
  }

  #show(one: RecordedCatch, json: boolean | undefined): void {
    this.totals = withCatch(this.totals, one)
    print(this.#context, json ? catchJson(one, this.totals) : catchText(one, this.totals, this.#context.screen.colours))
  }

  #showHeld(one: HeldCatch, json: boolean | undefined): void {
    this.held += 1
    if (json) print(this.#context, catchJson(one, this.totals))
    if (this.#reportedPlaces.has(one.heldAt)) return
    this.#reportedPlaces.add(one.heldAt)
    const why =
      one.heldAt === null
        ? 'The log does not say which gamemode you are in'
        : `You are in ${printable(one.heldAt)}, which is not a gamemode`
    this.#context.note(`fish-cli: ${why}: catches there are held back.`)
  }
}

function noteHeld(context: CommandContext, count: number): void {
  const are = count === 1 ? 'is' : 'are'
  const next = 'To add them, set their gamemode: fish-cli watch LOG --gamemode GAMEMODE'
  context.note(`fish-cli: ${catchesText(count)} ${are} held back on this machine. ${next}`)
}

function print(context: CommandContext, text: string): void {
  context.line.clear()
  context.stdout.write(`${text}\n`)
}

/** The gamemode of catches for which the log names none; prompts if it is not configured. */
async function fallbackGamemode(
  context: CommandContext,
  flags: { readonly 'no-input'?: boolean | undefined },
  {
    flag,
    preset,
    location,
  }: { readonly flag: Gamemode | undefined; readonly preset: Gamemode | undefined; readonly location: PlayerLocation },
): Promise<Gamemode | undefined> {
  if (flag ?? preset ?? location.gamemode ?? location.elsewhere) return preset
  if (!canPrompt(context, flags['no-input'])) {
    throw usageError(
      'No gamemode for catches where the log names none.',
      'Set FISH_GAMEMODE, add --gamemode GAMEMODE, or: fish-cli config set gamemode GAMEMODE',
    )
  }
  const { promptLine } = await import('../output/prompt.ts')
  const question = `Gamemode if the log names none (${GAMEMODES.join(', ')})? `
  return parseGamemode(((await promptLine(context, { question, isSecret: false })) ?? '').trim(), 'The answer')
}

function noteStart(
  context: CommandContext,
  logs: Logs,
  { user, url, gamemode }: { readonly user: string; readonly url: string; readonly gamemode: string },
): void {
  const [{ launcher }] = logs
  const files = logs.map(({ path }) => printable(path)).join(', ')
  const what = launcher === undefined ? files : `the log of ${launcher}, ${files},`
  context.note(`fish-cli: Watching ${what} for ${printable(user)} at ${printable(url)}; gamemode ${gamemode}.`)
}

async function findLogs(context: CommandContext, paths: string[] = []): Promise<Logs> {
  const [first, ...others] = paths
  if (first !== undefined) return [{ path: resolve(first) }, ...others.map((path) => ({ path: resolve(path) }))]
  const { env } = context
  return [await findLog(logLocations({ platform: process.platform, env, home: homeFolder(env) }))]
}

type Logs = readonly [WatchedLog, ...WatchedLog[]]

interface WatchedLog {
  readonly path: string
  readonly launcher?: string
}

interface Reading {
  readonly json?: boolean | undefined
  readonly once?: boolean | undefined
  readonly 'from-start'?: boolean | undefined
}

interface ReadingOne extends Reading {
  readonly path: string
  readonly before: PlayerLocation | undefined
}

/** @throws CliError for several logs or a compressed one without `--once` */
function requireFollowable(paths: readonly string[], once: boolean | undefined): void {
  if (once) return
  if (paths.length > 1) throw usageError('Only one log can be followed at a time.', 'Add --once to read several logs.')
  if (paths.some(isGzipped)) throw usageError('A compressed log cannot be followed.', 'Add --once to read it.')
}

function gamemodeText({
  flag,
  fallback,
  location,
}: {
  readonly flag: Gamemode | undefined
  readonly fallback: Gamemode | undefined
  readonly location: PlayerLocation
}): string {
  if (flag) return flag
  if (location.gamemode) return `${location.gamemode}, from the log`
  if (location.elsewhere) return `unknown, since you are in ${printable(location.elsewhere)}`
  return `${fallback}, unless the log names another`
}
