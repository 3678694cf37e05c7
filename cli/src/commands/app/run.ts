import type { Outbox, RejectionReason } from '@fish-crab/sdk/outbox'
import type { AppGame, AppState } from '../../../../server/web/src/player-app/api-types.ts'
import { rejectionText } from '../../core/describe-error.ts'
import { CliError, EXIT, interruption } from '../../core/errors.ts'
import { timeOfDay } from '../../core/time.ts'
import { findPlayerKey } from '../../session/credentials.ts'
import type { Session } from '../../session/session.ts'
import { type FollowedLog, type FollowedLogs, followLogs } from '../watch/live.ts'
import { watchOptions } from '../watch/options.ts'
import { isCancelled, textForPage } from './app-terminal.ts'
import { problemFor } from './problem.ts'

/** How long a stop may take to send the last catches. */
const SEND_MS = 3000

interface RunOptions {
  /** @param signal aborts at the stop */
  readonly session: (signal: AbortSignal) => Session
  readonly onChange: (change: Partial<AppState>) => void
  /** Called when the logs are followed. `reply` is the gamemode that the player has chosen for logs without one. */
  readonly onStart: (session: Session, reply: string | undefined) => void
  /** Called when the service accepts the key again, because another process has logged in. */
  readonly onLogin: () => void
  /** Whether to send rejected catches again. */
  readonly retriesRejected: boolean
}

/** A run of the engine of `watch`: it follows the logs of all games, and sends their catches. */
export class Run {
  /** Resolves when the logs are followed, or when the run ends. */
  readonly started: Promise<void>
  readonly ended: Promise<void>
  readonly #options: RunOptions
  readonly #stop = new AbortController()
  #outbox: Outbox | undefined
  #needsLogin = false
  #waitingReason: string | null = null
  #rejectedReason: string | null = null

  constructor(options: RunOptions) {
    this.#options = options
    const started = Promise.withResolvers<void>()
    this.ended = this.#follow(options.session(this.#stop.signal), started.resolve)
    this.started = Promise.race([started.promise, this.ended])
  }

  /** Sends what can be sent within 3 s, and stops. Catches that are not sent wait in the outbox. */
  async stop(): Promise<void> {
    if (this.#outbox) await this.#sendLast(this.#outbox).catch(() => {})
    this.#stop.abort(interruption())
    await this.ended
  }

  /** Sends rejected catches again. */
  async retry(): Promise<void> {
    await this.#outbox?.retry()
  }

  async #follow(session: Session, onStart: () => void): Promise<void> {
    const { onChange } = this.#options
    onChange({ starting: true, problem: null })
    let problem: AppState['problem'] = null
    try {
      await this.#followGames(session, onStart)
    } catch (error) {
      const needsLogin = error instanceof CliError && error.exit === EXIT.credentials
      if (!session.signal.aborted && !isCancelled(error)) problem = { ...problemFor(error), needsLogin }
    }
    this.#outbox = undefined
    onChange({ running: false, starting: false, problem })
  }

  async #followGames(own: Session, onStart: () => void): Promise<never> {
    if ((await findPlayerKey(own, own.user())) === undefined) throw keyMissing()
    const session: Session = Object.create(own, {
      outbox: {
        value: async (...options: Parameters<Session['outbox']>) => this.#useOutbox(await own.outbox(...options)),
      },
    })
    const options = await watchOptions(session, [], {})
    return followLogs(session, options, {
      onLogs: (logs) => this.#options.onChange({ games: gamesOf(logs) }),
      onStart: (usual) => {
        this.#options.onChange({ running: true, starting: false })
        this.#options.onStart(session, options.gamemode.usual === undefined ? usual : undefined)
        onStart()
      },
    })
  }

  async #useOutbox(outbox: Outbox): Promise<Outbox> {
    this.#outbox = outbox
    if (this.#options.retriesRejected) await outbox.retry()
    const last = (await outbox.deadLetters()).at(-1)
    if (last) this.#noteRejection(last.reason)
    outbox.subscribe((event) => {
      if (event.type === 'waiting') {
        const until = timeOfDay(event.until.getTime())
        this.#waitingReason = `${problemFor(event.error).message} Sending continues at ${until}.`
      }
      if (event.type === 'delivered') {
        this.#waitingReason = null
        if (this.#needsLogin) this.#options.onLogin()
        this.#needsLogin = false
      }
      if (event.type === 'rejected') this.#noteRejection(event.reason)
      // The outbox may already be closed.
      void this.#count(outbox).catch(() => {})
    })
    await this.#count(outbox)
    return outbox
  }

  #noteRejection(reason: RejectionReason): void {
    this.#rejectedReason = textForPage(rejectionText(reason)).join(' ')
    if (reason.code !== 'invalid_token') return
    this.#needsLogin = true
    const message = 'Your key has changed, so the service rejects your catches. They are kept.'
    this.#options.onChange({ problem: { message, hint: 'Log in again to send them.', needsLogin: true } })
  }

  async #sendLast(outbox: Outbox): Promise<void> {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(SEND_MS)])
    await outbox.flush({ signal, maxWaitMs: 0 }).catch(() => {})
    this.#waitingReason = WAITS_FOR_START
    await this.#count(outbox)
  }

  async #count(outbox: Outbox): Promise<void> {
    this.#options.onChange({ queue: await queueOf(outbox, this.#waitingReason, this.#rejectedReason) })
  }
}

/** Why catches wait while no run sends them. */
export const WAITS_FOR_START = 'Press Start to send them.'

export async function queueOf(
  outbox: Pick<Outbox, 'status'>,
  waitingReason: string | null,
  rejectedReason: string | null,
): Promise<AppState['queue']> {
  const { pending: waiting, rejected } = await outbox.status()
  return {
    waiting,
    waitingReason: waiting > 0 ? waitingReason : null,
    rejected,
    rejectedReason: rejected > 0 ? rejectedReason : null,
  }
}

function gamesOf({ followed, skipped, usual }: FollowedLogs): readonly AppGame[] {
  return [
    ...followed.map(({ path, launcher = null, ...log }) => ({
      path,
      launcher,
      followed: log.otherPlayer === undefined,
      note: noteOf(log, usual),
    })),
    ...skipped.map(({ path, launcher = null }) => ({
      path,
      launcher,
      followed: false,
      note: 'This game has a newer log.',
    })),
  ]
}

function noteOf(log: Omit<FollowedLog, 'path' | 'launcher'>, usual: string | undefined): string {
  const { gamemode = usual, elsewhere, otherPlayer, skipped, unrecognized } = log
  if (otherPlayer !== undefined) return `The game runs as ${otherPlayer}, so its catches are not added.`
  const where =
    log.gamemode === undefined && elsewhere !== undefined
      ? `You are on ${elsewhere}, which is not a gamemode. Fish Collection does not add your catches there.`
      : gamemode === undefined
        ? 'The log does not name a gamemode yet.'
        : `Your catches go to ${gamemode}.`
  const older = `The log has ${countText(skipped, 'older catch', 'older catches')}: see Old logs.`
  const unknown = `Fish Collection does not recognize ${countText(unrecognized, 'message that looks like a catch', 'messages that look like catches')}.`
  return [where, ...(skipped > 0 ? [older] : []), ...(unrecognized > 0 ? [unknown] : [])].join(' ')
}

function countText(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`
}

function keyMissing(): CliError {
  return new CliError({ code: 'missing_credentials', message: 'Your key is missing.', exit: EXIT.credentials })
}
