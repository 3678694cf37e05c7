import { dirname } from 'node:path'
import type { Outbox, RejectionReason } from '@fish-crab/sdk/outbox'
import { type LoginFile, parseLoginFile } from '../../../../server/web/src/admin/data/login-file.ts'
import type {
  AppCatch,
  AppGame,
  AppQuestion,
  AppState,
  LoginBody,
  LoginResult,
} from '../../../../server/web/src/player-app/api-types.ts'
import { rejectionText } from '../../core/describe-error.ts'
import { CliError, EXIT, interruption, usageError } from '../../core/errors.ts'
import { isServiceUrl, parseJsonText } from '../../core/parse-values.ts'
import type { System } from '../../core/system.ts'
import { clockOf, timeOfDay } from '../../core/time.ts'
import { readManifest } from '../../package.ts'
import { createSession } from '../../session/create-session.ts'
import { findPlayerKey } from '../../session/credentials.ts'
import { readTextFile } from '../../session/files.ts'
import { applyLogin, changeConfig, DEFAULT_PROFILE } from '../../session/profiles.ts'
import { checkSecretsUpdate, saveLogin, updateSecrets } from '../../session/secrets.ts'
import type { Session } from '../../session/session.ts'
import { fetchPlayerKey } from '../account/fetch-login.ts'
import { loginOf, sessionFor } from '../account/login-target.ts'
import { undoCommand } from '../records/undo.ts'
import { compareVersions } from '../tester/check-service.ts'
import { type FollowedLog, followLogs } from '../watch/live.ts'
import { type FoundLog, findGames, findLogs, usualLocations } from '../watch/locations.ts'
import { readOnce } from '../watch/once.ts'
import { watchOptions } from '../watch/options.ts'
import { createAppTerminal, textForPage } from './app-terminal.ts'
import { type Autostart, createAutostart } from './autostart.ts'
import { emptyDay, localDate, readDay, storeDay, withCatch, withoutCatches } from './day.ts'
import { deleteDownload, findDownload } from './login-download.ts'
import { problemFor } from './problem.ts'
import { Questions } from './questions.ts'
import { Uploads } from './uploads.ts'

const MAX_MESSAGES = 20
/** How long a stop may take to send the last catches. */
const SEND_MS = 3000
const STORE_DAY_MS = 1000
const NOTHING_WAITS: AppState['queue'] = { waiting: 0, waitingReason: null, rejected: 0, rejectedReason: null }

interface Run {
  readonly stop: AbortController
  readonly ended: Promise<void>
}

/** The commands of a player, for a page instead of a terminal. */
export class Player {
  readonly uploads = new Uploads()
  readonly #system: System
  readonly #autostart: Autostart
  readonly #listeners = new Set<(state: AppState) => void>()
  readonly #questions = new Questions((question) => this.#change({ question }))
  /** Ends the operations beside the run, such as `undo`. */
  #operations = new AbortController()
  #state: AppState
  #run: Run | undefined
  /** The outbox of the run. */
  #outbox: Outbox | undefined
  /** Why catches wait, and why the last ones were rejected. */
  #waitingReason: string | null = null
  #rejectedReason: string | null = null
  #download: { readonly path: string; readonly content: string } | undefined
  #storeDay: NodeJS.Timeout | undefined
  #messageId = 0
  /** Whether the next run first sends the rejected catches again. */
  #retriesRejected = false

  constructor(system: System) {
    this.#system = system
    this.#autostart = createAutostart(system)
    this.#state = {
      version: readManifest().version,
      account: null,
      running: false,
      starting: false,
      games: [],
      day: emptyDay(this.#today()),
      queue: NOTHING_WAITS,
      question: null,
      progress: null,
      messages: [],
      problem: null,
      startsWithComputer: null,
    }
    this.#readAccount()
    void this.#autostart.isOn().then((startsWithComputer) => this.#change({ startsWithComputer }))
  }

  get state(): AppState {
    return this.#state
  }

  /** @returns a function that unsubscribes the listener */
  onChange(listener: (state: AppState) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @throws CliError when the service rejects the login; nothing is stored then */
  async logIn(request: LoginBody): Promise<LoginResult> {
    const file = 'file' in request ? parseFile(request.file) : undefined
    const named = 'file' in request ? undefined : request
    const session = this.#session(this.#operations.signal)
    const flags = named ? { url: named.service } : {}
    const given = sessionFor(session, { ...flags, asAdmin: false, named: named?.name, file })
    await given.optionalGamemode()
    const name = session.config.current ?? DEFAULT_PROFILE
    await checkSecretsUpdate(this.#system, session.config, name)
    const secrets = await fetchPlayerKey(given, { known: file ?? { password: named?.password } })
    await this.stop()
    await saveLogin(this.#system, name, loginOf(given, false), secrets)
    this.#retriesRejected = true
    this.#readAccount()
    this.#change({ problem: null })
    const content = 'file' in request ? request.file : undefined
    const path = content === undefined ? undefined : await findDownload(this.#system, content)
    this.#download = path === undefined || content === undefined ? undefined : { path, content }
    return { passwordToSave: file?.password ?? null, loginFile: path ?? null }
  }

  /** Deletes the login file that the last login has found. */
  async deleteLoginFile(): Promise<void> {
    if (this.#download) await deleteDownload(this.#download.path, this.#download.content)
    this.#download = undefined
  }

  /** Removes the secrets of the account from this machine. */
  async logOut(): Promise<void> {
    await this.stop()
    this.#endOperations()
    const { config, target } = this.#session(this.#operations.signal)
    if (target.profile) await updateSecrets(this.#system, config, target.profile.name, () => undefined)
    this.#readAccount()
    this.#change({ games: [], problem: null, queue: NOTHING_WAITS })
  }

  /** Follows the logs of all games until {@link stop}. Returns when it follows them, or when it cannot. */
  async start(): Promise<void> {
    if (this.#run) return
    const stop = new AbortController()
    const session = this.#session(stop.signal, (data) => this.#print(data))
    const started = Promise.withResolvers<void>()
    // The run stands before the first wait, so that a stop ends it and a second start does nothing.
    this.#run = { stop, ended: this.#follow(session, started.resolve) }
    await Promise.race([started.promise, this.#run.ended])
  }

  /** Sends what can be sent within 3 s, and stops. Catches that are not sent wait in the outbox. */
  async stop(): Promise<void> {
    const run = this.#run
    if (!run) return
    if (this.#outbox) await this.#sendLast(this.#outbox, run.stop.signal).catch(() => {})
    run.stop.abort(interruption())
    await run.ended
  }

  /**
   * Removes the catches that were added last, after the player has confirmed.
   * @returns which catches were removed
   */
  undo(): Promise<string> {
    const hide = (data: unknown) => {
      const removed = readTextFile(String(Object(data).file))?.split('\n') ?? []
      const catches = removed
        .map((line) => parseJsonText(line) as AppCatch | undefined)
        .filter((one) => one !== undefined)
      this.#change({ day: withoutCatches(this.#state.day, catches) })
      this.#saveDay()
    }
    const run = (session: Session) => undoCommand.run({ session, terminal: session.terminal, args: {}, flags: {} })
    return this.#operate(run, hide)
  }

  /**
   * Adds the new catches of old logs, after the player has confirmed: of the uploaded logs, or of all logs in the folders
   * of the games.
   * @returns how many catches were added
   */
  async addOldLogs(fromUploads: boolean): Promise<string> {
    try {
      return await this.#operate(async (session) => {
        const games = fromUploads ? [] : await findGames(usualLocations(session))
        const folders = fromUploads ? this.uploads.folders : games.map(({ path }) => dirname(path))
        return readOnce(session, await watchOptions(session, folders, { once: true }))
      })
    } finally {
      if (fromUploads) await this.uploads.clear()
    }
  }

  /** Sends rejected catches again. */
  async retryRejected(): Promise<void> {
    if (this.#outbox) await this.#outbox.retry()
    else {
      this.#retriesRejected = true
      await this.start()
    }
  }

  reply(id: number, reply: string | null): void {
    this.#questions.reply(id, reply)
  }

  async setAutostart(enabled: boolean): Promise<void> {
    await this.#autostart.set(enabled)
    this.#change({ startsWithComputer: await this.#autostart.isOn() })
  }

  async quit(): Promise<void> {
    this.#endOperations()
    await this.stop()
    await this.uploads.clear()
    this.#listeners.clear()
  }

  #today(): string {
    return localDate(clockOf(this.#system).now())
  }

  #endOperations(): void {
    this.#operations.abort(interruption())
    this.#operations = new AbortController()
  }

  /** Runs a command beside the run. @returns the text that the command printed last */
  async #operate(
    run: (session: Session) => Promise<unknown>,
    onPrint: (data: unknown) => void = () => {},
  ): Promise<string> {
    let result: readonly string[] = []
    const printed = (data: unknown, text: readonly string[]) => {
      result = text
      onPrint(data)
    }
    try {
      await run(this.#session(this.#operations.signal, printed))
    } catch (error) {
      if (!(error instanceof CliError && error.code === 'not_confirmed')) throw error
      result = [error.message]
    }
    return this.uploads.describe(result.join(' '))
  }

  #session(signal: AbortSignal, printed: (data: unknown, text: readonly string[]) => void = () => {}): Session {
    const own: System = Object.create(this.#system, { interrupted: { value: () => signal } })
    const terminal = createAppTerminal(own, {
      printed,
      ask: (question: Omit<AppQuestion, 'id'>) => {
        const about = question.about.map((line) => this.uploads.describe(line))
        return this.#questions.ask({ ...question, about }, signal)
      },
      progress: (progress) => this.#change({ progress: progress ?? null }),
    })
    return createSession(own, terminal, { argv: ['app'], flags: {} })
  }

  async #follow(session: Session, onStart: () => void): Promise<void> {
    this.#change({ starting: true, problem: null })
    let problem: AppState['problem'] = null
    try {
      await this.#followGames(session, onStart)
    } catch (error) {
      const needsLogin = error instanceof CliError && error.exit === EXIT.credentials
      if (!session.signal.aborted) problem = { ...problemFor(error), needsLogin }
    }
    this.#run = undefined
    this.#outbox = undefined
    this.#saveDay()
    this.#change({ running: false, starting: false, problem })
  }

  async #followGames(own: Session, onStart: () => void): Promise<never> {
    if ((await findPlayerKey(own, own.user())) === undefined) throw keyMissing()
    const session: Session = Object.create(own, {
      outbox: {
        value: async (...options: Parameters<Session['outbox']>) => this.#useOutbox(await own.outbox(...options)),
      },
    })
    const [options, found] = await Promise.all([watchOptions(session, [], {}), findLogs(usualLocations(session))])
    return followLogs(session, options, {
      onLogs: (logs, usual) => this.#change({ games: gamesOf(logs, found, usual) }),
      onStart: (usual) => {
        this.#change({ running: true, starting: false })
        if (options.gamemode.usual === undefined && usual !== undefined) void this.#saveGamemode(session, usual)
        void this.#compareVersions(session).catch(() => {})
        onStart()
      },
    })
  }

  /** Stores the reply about the gamemode, so that the next start does not ask. */
  async #saveGamemode({ target }: Session, gamemode: string): Promise<void> {
    const { profile, url, user } = target
    if (!profile) return
    const login = { url: url.value, user: user?.value, gamemode }
    await changeConfig(this.#system, (config) => applyLogin(config, profile.name, login))
    this.#readAccount()
  }

  /** An unsigned file is never updated by itself, so the player has to know about a newer one. */
  async #compareVersions(session: Session): Promise<void> {
    const { version } = this.#state
    const client = await session.client({ maxWaitMs: 0, maxRetries: 0 })
    const service = await client.status({ signal: session.signal }).catch(() => undefined)
    if (!service || compareVersions(version, service.version).status === 'ok') return
    const text = `This is version ${version}, and the service has version ${service.version}.`
    this.#say(`${text} If yours is older, download the newer file where you got this one.`)
  }

  async #useOutbox(outbox: Outbox): Promise<Outbox> {
    this.#outbox = outbox
    if (this.#retriesRejected) await outbox.retry()
    this.#retriesRejected = false
    const noteRejection = (reason: RejectionReason) => {
      this.#rejectedReason = textForPage(rejectionText(reason)).join(' ')
      if (reason.code !== 'invalid_token') return
      const message = 'Your key has changed, so the service rejects your catches. They are kept.'
      this.#change({ problem: { message, hint: 'Log in again to send them.', needsLogin: true } })
    }
    this.#waitingReason = null
    const last = (await outbox.deadLetters()).at(-1)
    if (last) noteRejection(last.reason)
    outbox.subscribe((event) => {
      if (event.type === 'waiting') {
        const until = timeOfDay(event.until.getTime())
        this.#waitingReason = `${problemFor(event.error).message} Sending continues at ${until}.`
      }
      if (event.type === 'delivered') {
        this.#waitingReason = null
        // Another process of the player may have logged in.
        if (this.#state.problem?.needsLogin) {
          this.#readAccount()
          this.#change({ problem: null })
          this.#say('You have logged in again, so rejected catches are sent.')
        }
      }
      if (event.type === 'rejected') noteRejection(event.reason)
      // The outbox may already be closed.
      void this.#count(outbox).catch(() => {})
    })
    await this.#count(outbox)
    return outbox
  }

  async #sendLast(outbox: Outbox, stopped: AbortSignal): Promise<void> {
    await outbox
      .flush({ signal: AbortSignal.any([stopped, AbortSignal.timeout(SEND_MS)]), maxWaitMs: 0 })
      .catch(() => {})
    this.#waitingReason = 'Press Start to send them.'
    await this.#count(outbox)
  }

  async #count(outbox: Outbox): Promise<void> {
    const { pending: waiting, rejected } = await outbox.status()
    const waitingReason = waiting > 0 ? this.#waitingReason : null
    const rejectedReason = rejected > 0 ? this.#rejectedReason : null
    this.#change({ queue: { waiting, waitingReason, rejected, rejectedReason } })
  }

  #print(data: unknown): void {
    const { kind, name, rarity = null, gamemode = null, caughtAt } = Object(data)
    if (kind !== 'fish' && kind !== 'crab') return
    const one: AppCatch = { kind, name, rarity, gamemode, caughtAt }
    this.#change({ day: withCatch(this.#state.day, one) })
    this.#storeDay ??= setTimeout(() => this.#saveDay(), STORE_DAY_MS).unref()
  }

  #saveDay(): void {
    clearTimeout(this.#storeDay)
    this.#storeDay = undefined
    storeDay(this.#system, this.#state.account, this.#state.day)
  }

  #say(text: string): void {
    this.#messageId += 1
    this.#change({ messages: [...this.#state.messages, { id: this.#messageId, text }].slice(-MAX_MESSAGES) })
  }

  #readAccount(): void {
    const { config, target } = this.#session(this.#operations.signal)
    const { profile, user, url, gamemode } = target
    const isLoggedIn = config.current !== undefined && profile?.secrets !== undefined && user !== undefined
    const account = isLoggedIn ? { user: user.value, service: url.value, gamemode: gamemode?.value ?? null } : null
    this.#change({ account, day: readDay(this.#system, account, this.#today()) })
  }

  #change(change: Partial<AppState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener(this.#state)
  }
}

function gamesOf(
  logs: readonly FollowedLog[],
  found: readonly FoundLog[],
  usual: string | undefined,
): readonly AppGame[] {
  const followed = logs.map(({ path, launcher = null, ...log }) => ({
    path,
    launcher,
    followed: log.otherPlayer === undefined,
    note: noteOf(log, usual),
  }))
  const skipped = found
    .filter(({ path }) => !logs.some((log) => log.path === path))
    .map(({ path, launcher }) => ({ path, launcher, followed: false, note: 'This game has a newer log.' }))
  return [...followed, ...skipped]
}

function noteOf(log: Omit<FollowedLog, 'path' | 'launcher'>, usual: string | undefined): string {
  const { gamemode = usual, elsewhere, otherPlayer, skipped, unrecognized } = log
  if (otherPlayer !== undefined) return `The game runs as ${otherPlayer}, so its catches are not added.`
  const where =
    log.gamemode === undefined && elsewhere !== undefined
      ? `You are on ${elsewhere}, which is not a gamemode, so its catches are not added.`
      : gamemode === undefined
        ? 'The log does not name a gamemode yet.'
        : `Your catches go to ${gamemode}.`
  return [
    where,
    ...(skipped > 0 ? [`The log has ${countText(skipped, 'older catch', 'older catches')}: see Old logs.`] : []),
    ...(unrecognized > 0
      ? [`It does not recognize ${countText(unrecognized, 'message that looks', 'messages that look')} like a catch.`]
      : []),
  ].join(' ')
}

function countText(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`
}

function keyMissing(): CliError {
  return new CliError({ code: 'missing_credentials', message: 'Your key is missing.', exit: EXIT.credentials })
}

function parseFile(text: string): LoginFile {
  const file = parseLoginFile(text)
  const problem = typeof file === 'string' ? file : isServiceUrl(file.service) ? undefined : 'service is wrong'
  if (typeof file !== 'string' && problem === undefined) return file
  throw usageError(`This is not a login file: ${problem}.`, 'Ask your administrator for a new login file.')
}
