import { dirname } from 'node:path'
import { type LoginFile, parseLoginFile } from '../../../../server/web/src/parts/login-file.ts'
import type {
  AppCatch,
  AppState,
  LoginBody,
  LoginResult,
  PasswordBody,
} from '../../../../server/web/src/player-app/api-types.ts'
import { withUnknownOutcome } from '../../core/describe-error.ts'
import { interruption, usageError } from '../../core/errors.ts'
import { isServiceUrl, parseJsonText } from '../../core/parse-values.ts'
import type { System } from '../../core/system.ts'
import { clockOf } from '../../core/time.ts'
import { readManifest } from '../../package.ts'
import { createSession } from '../../session/create-session.ts'
import { readTextFile } from '../../session/files.ts'
import { openLocalOutbox } from '../../session/outbox.ts'
import { applyLogin, changeConfig, DEFAULT_PROFILE } from '../../session/profiles.ts'
import { checkSecretsUpdate, saveLogin, updateSecrets } from '../../session/secrets.ts'
import type { Session } from '../../session/session.ts'
import { fetchPlayerKey } from '../account/fetch-login.ts'
import { loginOf, sessionFor } from '../account/login-target.ts'
import { undoCommand } from '../records/undo.ts'
import { findGames, usualLocations } from '../watch/locations.ts'
import { readOnce } from '../watch/once.ts'
import { watchOptions } from '../watch/options.ts'
import { createAppTerminal, isCancelled } from './app-terminal.ts'
import { type Autostart, createAutostart } from './autostart.ts'
import { emptyDay, localDate, readDay, storeDay, withCatch, withoutCatches } from './day.ts'
import { deleteDownloads, findDownloads } from './login-download.ts'
import { problemFor } from './problem.ts'
import { Questions } from './questions.ts'
import { queueOf, Run, WAITS_FOR_START } from './run.ts'
import { Uploads } from './uploads.ts'

const STORE_DAY_MS = 1000
const NOTHING_WAITS: AppState['queue'] = { waiting: 0, waitingReason: null, rejected: 0, rejectedReason: null }

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
  #loginFiles: { readonly paths: readonly string[]; readonly content: string } | undefined
  #storeDay: NodeJS.Timeout | undefined
  /** Whether the next run first sends rejected catches again. */
  #retriesRejected = false

  constructor(system: System) {
    this.#system = system
    this.#autostart = createAutostart(system)
    this.#state = {
      version: readManifest().version,
      newerVersion: null,
      account: null,
      running: false,
      starting: false,
      games: [],
      day: emptyDay(this.#today()),
      queue: NOTHING_WAITS,
      question: null,
      progress: null,
      problem: null,
      startsWithComputer: null,
    }
    this.#readAccount()
    void this.#autostart
      .refresh()
      .catch(() => false)
      .then((startsWithComputer) => this.#change({ startsWithComputer }))
  }

  get state(): AppState {
    return this.#state
  }

  /** @returns a function that unsubscribes the listener */
  onChange(listener: (state: AppState) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Logs in. A run continues with the new login.
   * @throws CliError when the service rejects the login; nothing is stored then
   */
  async logIn(request: LoginBody): Promise<LoginResult> {
    const file = 'file' in request ? parseFile(request.file) : undefined
    const typed = 'file' in request ? undefined : request
    const session = this.#session(this.#operations.signal)
    const flags = typed ? { url: typed.service } : {}
    const target = sessionFor(session, { ...flags, asAdmin: false, named: typed?.name, file })
    await target.optionalGamemode()
    const name = session.config.current ?? DEFAULT_PROFILE
    await checkSecretsUpdate(this.#system, session.config, name)
    const secrets = await fetchPlayerKey(target, { known: file ?? { password: typed?.password } })
    const isRunning = this.#run !== undefined
    await this.stop()
    await saveLogin(this.#system, name, loginOf(target, false), secrets)
    this.#retriesRejected = true
    this.#change({ problem: null })
    this.#readAccount()
    if (isRunning) void this.start()
    const content = 'file' in request ? request.file : ''
    const paths = file ? await findDownloads(this.#system, content) : []
    this.#loginFiles = { paths, content }
    return { passwordToSave: file?.password ?? null, loginFiles: paths }
  }

  /** Deletes the login files that the last login has found. */
  async deleteLoginFiles(): Promise<void> {
    const { paths, content } = this.#loginFiles ?? { paths: [], content: '' }
    this.#loginFiles = undefined
    await deleteDownloads(paths, content)
  }

  /**
   * Replaces the password of the account. The keys stay valid, so a run continues.
   * @throws ApiError for a wrong old password
   */
  async changePassword({ password, newPassword }: PasswordBody): Promise<void> {
    const session = this.#session(this.#operations.signal)
    const username = session.user()
    const client = await session.client()
    const change = client.account.changePassword({ username, password, newPassword, signal: session.signal })
    await change.catch((error) => {
      throw withUnknownOutcome(error, { hint: 'Try the new password first.' })
    })
  }

  /** Removes the secrets of the account from this machine. */
  async logOut(): Promise<void> {
    await this.stop()
    this.#endOperations()
    const { config, target } = this.#session(this.#operations.signal)
    if (target.profile) await updateSecrets(this.#system, config, target.profile.name, () => undefined)
    this.#change({ games: [], problem: null, queue: NOTHING_WAITS })
    this.#readAccount()
  }

  /** Follows the logs of all games until {@link stop}. Returns when it follows them, or when it cannot. */
  async start(): Promise<void> {
    await (this.#run ?? this.#startRun()).started
  }

  /** Sends what can be sent within 3 s, and stops. Catches that are not sent wait in the outbox. */
  async stop(): Promise<void> {
    await this.#run?.stop()
  }

  /**
   * Removes the catches that were added last, after the player has confirmed.
   * @returns which catches were removed
   */
  undo(): Promise<string> {
    const hide = (data: unknown) => {
      const removed = readTextFile(String(Object(data).file))?.split('\n') ?? []
      const catches = removed.map((line) => parseJsonText(line) as AppCatch | undefined)
      this.#change({
        day: withoutCatches(
          this.#state.day,
          catches.filter((one) => one !== undefined),
        ),
      })
      this.#saveDay()
    }
    const run = (session: Session) => undoCommand.run({ session, terminal: session.terminal, args: {}, flags: {} })
    return this.#operate(run, hide)
  }

  /**
   * Adds the new catches of old logs, after the player has confirmed.
   * @param batch a batch of {@link uploads} @default all logs in the folders of the games
   * @returns how many catches were added
   */
  addOldLogs(batch: string | undefined): Promise<string> {
    const read = async (session: Session, folders: readonly string[], copies?: string) =>
      readOnce(session, await watchOptions(session, folders, { once: true }), { copies })
    return this.#operate(async (session) => {
      if (batch !== undefined) await this.uploads.use(batch, (folders) => read(session, folders, 'the chosen logs'))
      else
        await read(
          session,
          (await findGames(usualLocations(session))).map(({ path }) => dirname(path)),
        )
    })
  }

  /** Sends rejected catches again. */
  async retryRejected(): Promise<void> {
    if (this.#run) return this.#run.retry()
    this.#retriesRejected = true
    await this.start()
  }

  reply(id: number, reply: string | null): void {
    this.#questions.reply(id, reply)
  }

  /** @throws CliError `usage` if the program has to be moved first */
  async setAutostart(enabled: boolean): Promise<void> {
    await this.#autostart.set(enabled)
    this.#change({ startsWithComputer: enabled })
  }

  async quit(): Promise<void> {
    this.#endOperations()
    await this.stop()
    await this.uploads.clear()
    this.#listeners.clear()
  }

  #startRun(): Run {
    // The run is set before the first wait, so that a second start finds it.
    const run = new Run({
      session: (signal) => this.#session(signal, (data) => this.#addCatch(data)),
      retriesRejected: this.#retriesRejected,
      onChange: (change) => this.#change(change),
      onLogin: () => {
        this.#change({ problem: null })
        this.#readAccount()
      },
      onStart: (session, reply) => {
        if (reply !== undefined) void this.#saveGamemode(session, reply).catch(() => {})
        void this.#compareVersions(session).catch(() => {})
      },
    })
    this.#run = run
    this.#retriesRejected = false
    void run.ended.then(() => {
      this.#saveDay()
      this.#run = undefined
    })
    return run
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
    const session = this.#session(this.#operations.signal, (data, text) => {
      result = text
      onPrint(data)
    })
    try {
      await run(session)
    } catch (error) {
      if (!isCancelled(error)) throw error
      result = [error.message]
    } finally {
      await this.#countWaiting(session).catch(() => {})
    }
    return result.join(' ')
  }

  /** A run counts by itself. */
  async #countWaiting(session: Session): Promise<void> {
    if (this.#run) return
    await using outbox = await openLocalOutbox(session)
    if (outbox) this.#change({ queue: await queueOf(outbox, WAITS_FOR_START, this.#state.queue.rejectedReason) })
  }

  #session(signal: AbortSignal, onPrint: (data: unknown, text: readonly string[]) => void = () => {}): Session {
    const system: System = Object.create(this.#system, { interrupted: { value: () => signal } })
    const terminal = createAppTerminal(system, {
      printed: onPrint,
      ask: (question) => this.#questions.ask(question, signal),
      progress: (progress) => this.#change({ progress: progress ?? null }),
    })
    return createSession(system, terminal, { argv: ['app'], flags: {} })
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
    const client = await session.client({ maxWaitMs: 0, maxRetries: 0 })
    const { version } = await client.status({ signal: session.signal })
    const isNewer = version.localeCompare(this.#state.version, 'en', { numeric: true }) > 0
    this.#change({ newerVersion: isNewer ? version : null })
  }

  #addCatch(data: unknown): void {
    const { kind, name, rarity = null, gamemode, caughtAt } = Object(data)
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

  #readAccount(): void {
    if (this.#storeDay) this.#saveDay()
    try {
      const { config, target } = this.#session(this.#operations.signal)
      const { profile, user, url, gamemode } = target
      const isLoggedIn = config.current !== undefined && profile?.secrets !== undefined && user !== undefined
      const account = isLoggedIn ? { user: user.value, service: url.value, gamemode: gamemode?.value ?? null } : null
      this.#change({ account, day: readDay(this.#system, account, this.#today()) })
    } catch (error) {
      this.#change({ problem: { ...problemFor(error), needsLogin: false } })
    }
  }

  #change(change: Partial<AppState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener(this.#state)
  }
}

function parseFile(text: string): LoginFile {
  const file = parseLoginFile(text)
  const problem = typeof file === 'string' ? file : isServiceUrl(file.service) ? undefined : 'service is wrong'
  if (typeof file !== 'string' && problem === undefined) return file
  throw usageError(`This is not a login file: ${problem}.`, 'Ask your administrator for a new login file.')
}
