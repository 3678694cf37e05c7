import { resolve } from 'node:path'
import type { Gamemode } from '@fish-crab/sdk'
import type { Outbox } from '@fish-crab/sdk/outbox'
import { Args, Flags } from '@oclif/core'
import { FishCommand } from '../base/fish-command.ts'
import { gamemodeFlag, noInputFlag, serviceFlags, userFlag } from '../base/flags.ts'
import { chosenGamemode } from '../catches/gamemode.ts'
import { homeFolder } from '../config/home-folder.ts'
import { EXIT } from '../failures/exit.ts'
import { findLog } from '../game-log/find-log.ts'
import { follow } from '../game-log/follow.ts'
import { logPlaces } from '../game-log/log-places.ts'
import { dryRecorder, gamemodeChoice, outboxRecorder, type Recorder } from '../game-log/recorder.ts'
import { catchJson, catchText, type Totals, totalsText, withCatch } from '../game-log/show.ts'
import { tellDelivery } from '../game-log/tell-delivery.ts'
import { flushStatus, flushWithProgress, interruptionWith } from '../outbox/flush-with-progress.ts'
import { openPlayerOutbox } from '../outbox/open-outbox.ts'
import { useColours } from '../output/colours.ts'
import { maxWaitMs, needUser, selection } from '../service/client.ts'

/** `fish-cli watch` */
export class Watch extends FishCommand {
  static override summary = 'Follow the log of the game, and add what you catch.'
  static override description =
    'It stays with the log when the game restarts. Ctrl-C ends it; started again, it goes on where it ended: what was ' +
    'caught meanwhile is added, and nothing twice. Catches wait on this machine while the service is out of reach. ' +
    'Without LOG it takes that of the game that runs, or ran last: vanilla, Lunar, Feather, Prism or MultiMC. Needs ' +
    'your key: the one that login keeps, FISH_KEY or FISH_KEY_FILE.'
  static override examples = [
    '<%= config.bin %> watch',
    '<%= config.bin %> watch ~/.minecraft/logs/latest.log --gamemode earth',
    { description: 'Show what would be added:', command: '<%= config.bin %> watch --from-start --once --dry-run' },
  ]
  static override args = {
    log: Args.string({ description: 'path of the log; that of the game when left out', ignoreStdin: true }),
  }
  static override flags = {
    'from-start': Flags.boolean({ summary: 'Add also what is in the log already; nothing twice.' }),
    once: Flags.boolean({ summary: 'Read the log as it is, send what it tells, and end.' }),
    'dry-run': Flags.boolean({ summary: 'Show what would be added, and add nothing.' }),
    ...gamemodeFlag,
    ...userFlag,
    ...serviceFlags,
    ...noInputFlag,
  }

  #totals: Totals = { fish: 0, crabs: 0 }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(Watch)
    const chosen = selection(this.io, flags)
    const gamemodeOf = gamemodeChoice(
      flags.gamemode as Gamemode | undefined,
      flags.gamemode === undefined ? chosenGamemode(chosen.gamemode) : undefined,
    )
    const reading = { ...flags, path: await this.#path(args.log, flags.json) }
    if (flags['dry-run']) return this.#read(reading, dryRecorder(gamemodeOf), this.io.interrupted())
    const user = needUser(this.io, flags.user, 'Add --user USER', flags)
    const limit = maxWaitMs(chosen.maxWait)
    const outbox = await openPlayerOutbox(this.io, flags, { user })
    const signal = this.io.interrupted()
    try {
      const unsubscribe = tellDelivery(this.io, outbox)
      if (!flags.once) outbox.start()
      const recorder = outboxRecorder(outbox, { user, path: reading.path, gamemodeOf })
      await this.#readOrTell(reading, recorder, outbox, signal)
      unsubscribe()
      const report = await flushWithProgress(this.io, outbox, { maxWaitMs: limit, signal })
      this.note(flags.json, `fish-cli: ${totalsText(this.#totals)}; ${report.sent} sent.`)
      return flushStatus(report, (text) => this.note(flags.json, text))
    } finally {
      // A request in flight is not waited for after Ctrl-C: its token is on disk, and is sent again.
      await outbox.close({ signal })
    }
  }

  async #readOrTell(reading: Reading, recorder: Recorder, outbox: Outbox, signal: AbortSignal): Promise<void> {
    try {
      await this.#read(reading, recorder, signal)
    } catch (error) {
      throw signal.aborted ? await interruptionWith(outbox) : error
    }
  }

  async #read(flags: Reading, recorder: Recorder, signal: AbortSignal): Promise<number> {
    const colours = useColours(this.io.env, this.io.stdout)
    try {
      await follow({
        path: flags.path,
        place: await recorder.place(),
        fromStart: flags['from-start'] ?? false,
        once: flags.once ?? false,
        signal,
        clock: this.io.clock,
        onNote: (text) => this.note(flags.json, `fish-cli: ${text}`),
        onBatch: async (batch) => {
          for (const one of await recorder.record(batch)) {
            this.#totals = withCatch(this.#totals, one)
            const text = flags.json ? catchJson(one, this.#totals) : catchText(one, this.#totals, colours)
            this.io.line.clear()
            this.io.stdout.write(`${text}\n`)
          }
        },
      })
      return EXIT.ok
    } finally {
      await recorder.finish()
    }
  }

  async #path(given: string | undefined, json: boolean | undefined): Promise<string> {
    if (given !== undefined) return resolve(given)
    const { env } = this.io
    const { launcher, path } = await findLog(logPlaces({ platform: process.platform, env, home: homeFolder(env) }))
    this.note(json, `fish-cli: Watching the log of ${launcher}: ${path}`)
    return path
  }
}

interface Reading {
  readonly path: string
  readonly json?: boolean | undefined
  readonly once?: boolean | undefined
  readonly 'from-start'?: boolean | undefined
}
