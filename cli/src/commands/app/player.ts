import type { Outbox } from '@fish-crab/sdk/outbox'
import { type LoginFile, parseLoginFile } from '../../../../server/web/src/admin/data/login-file.ts'
import type { AppCatch, AppRequests, AppState, LoginBody } from '../../../../server/web/src/player-app/api-types.ts'
import { describeError } from '../../core/describe-error.ts'
import { CliError, EXIT, interruption, usageError } from '../../core/errors.ts'
import { isServiceUrl } from '../../core/parse-values.ts'
import type { System } from '../../core/system.ts'
import { readManifest } from '../../package.ts'
import { createSession } from '../../session/create-session.ts'
import { DEFAULT_PROFILE } from '../../session/profiles.ts'
import { checkSecretsUpdate, saveLogin, updateSecrets } from '../../session/secrets.ts'
import type { Session } from '../../session/session.ts'
import { fetchPlayerKey } from '../account/fetch-login.ts'
import { loginOf, sessionFor } from '../account/login-target.ts'
import { undoCommand } from '../records/undo.ts'
import { compareVersions } from '../tester/check-service.ts'
import { followLogs } from '../watch/live.ts'
import { findGames, usualLocations } from '../watch/locations.ts'
import { watchOptions } from '../watch/options.ts'
import { createAppTerminal } from './app-terminal.ts'

const MAX_CATCHES = 50
const MAX_MESSAGES = 20

/** The engine of `watch`, for a page instead of a terminal. */
export class Player {
  readonly #system: System
  readonly #listeners = new Set<(state: AppState) => void>()
  #state: AppState
  #run: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined
  #messageId = 0
  /** Whether catches that the service has rejected are sent again, because the key has changed. */
  #hasNewKey = false

  constructor(system: System) {
    this.#system = system
    this.#state = {
      version: readManifest().version,
      account: null,
      running: false,
      starting: false,
      games: [],
      catches: [],
      totals: { fish: 0, crabs: 0 },
      queue: { waiting: 0, rejected: 0 },
      messages: [],
      problem: null,
    }
    this.#readAccount()
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
  async logIn(request: LoginBody): Promise<AppRequests['login']['response']> {
    const file = 'file' in request ? parseFile(request.file) : undefined
    const named = 'file' in request ? undefined : request
    await this.stop()
    const session = this.#session(new AbortController().signal)
    const flags = named ? { url: named.service } : {}
    const given = sessionFor(session, { ...flags, asAdmin: false, named: named?.name, file })
    await given.optionalGamemode()
    const name = session.config.current ?? DEFAULT_PROFILE
    await checkSecretsUpdate(this.#system, session.config, name)
    const secrets = await fetchPlayerKey(given, { known: file ?? { password: named?.password } })
    await saveLogin(this.#system, name, loginOf(given, false), secrets)
    this.#hasNewKey = true
    this.#readAccount()
    this.#change({ problem: null, catches: [], totals: { fish: 0, crabs: 0 } })
    return { passwordToSave: file?.password ?? null }
  }

  /** Removes the secrets of the account from this machine. */
  async logOut(): Promise<void> {
    await this.stop()
    const { config, target } = this.#session(new AbortController().signal)
    if (target.profile) await updateSecrets(this.#system, config, target.profile.name, () => undefined)
    this.#readAccount()
  }

  /** Follows the logs of all games until {@link stop}. Returns when it follows them, or when it cannot. */
  async start(): Promise<void> {
    if (this.#run) return
    const stop = new AbortController()
    const session = this.#session(stop.signal)
    const started = Promise.withResolvers<void>()
    // The run stands before the first wait, so that a stop ends it and a second start does nothing.
    this.#run = { stop, ended: this.#follow(session, started.resolve) }
    await Promise.race([started.promise, this.#run.ended])
  }

  /** Stops following. Catches that are not sent wait in the outbox. */
  async stop(): Promise<void> {
    this.#run?.stop.abort(interruption())
    await this.#run?.ended
  }

  /**
   * Removes the catches that were added last.
   *
   * @param password needed for catches that the service has stored
   */
  async undo(password: string | undefined): Promise<void> {
    const env = { ...this.#system.env, ...(password === undefined ? {} : { FISH_PASSWORD: password }) }
    const session = this.#session(new AbortController().signal, Object.create(this.#system, { env: { value: env } }))
    await undoCommand.run({ session, terminal: session.terminal, args: {}, flags: {} })
  }

  async quit(): Promise<void> {
    await this.stop()
    this.#listeners.clear()
  }

  #session(signal: AbortSignal, system = this.#system): Session {
    const own: System = Object.create(system, { interrupted: { value: () => signal } })
    const terminal = createAppTerminal(own, {
      printed: (data) => this.#print(data),
      said: (text) => this.#say(text),
    })
    const session = createSession(own, terminal, { argv: ['app'], flags: {} })
    const outbox: Session['outbox'] = async (options) => {
      const opened = await session.outbox(options)
      if (this.#hasNewKey) await opened.retry()
      this.#hasNewKey = false
      this.#followOutbox(opened)
      return opened
    }
    return Object.create(session, { outbox: { value: outbox } })
  }

  async #follow(session: Session, onStart: () => void): Promise<void> {
    this.#change({ starting: true, problem: null })
    let problem: AppState['problem'] = null
    try {
      const [options, games] = await Promise.all([watchOptions(session, [], {}), findGames(usualLocations(session))])
      this.#change({ games: games.map(({ path, launcher }) => ({ path, launcher, note: 'followed' })) })
      await followLogs(session, options, () => {
        this.#change({ running: true, starting: false })
        onStart()
        void this.#compareVersions(session).catch(() => {})
      })
    } catch (error) {
      if (!session.signal.aborted) problem = problemOf(error)
    }
    this.#run = undefined
    this.#change({ running: false, starting: false, problem })
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

  #followOutbox(outbox: Outbox): void {
    const count = async () => {
      const { pending: waiting, rejected } = await outbox.status()
      this.#change({ queue: { waiting, rejected } })
    }
    // The outbox may already be closed.
    const show = () => void count().catch(() => {})
    outbox.subscribe((event) => {
      show()
      if (event.type !== 'rejected' || event.reason.code !== 'invalid_token') return
      const message = 'The service does not accept your key. Your catches are kept.'
      this.#change({ problem: { message, hint: 'Log in again.', needsLogin: true } })
    })
    show()
  }

  #print(data: unknown): void {
    const { kind, name, rarity = null, gamemode = null, caughtAt } = Object(data)
    if (kind !== 'fish' && kind !== 'crab') return
    const one: AppCatch = { kind, name, rarity, gamemode, caughtAt }
    const { fish, crabs } = this.#state.totals
    const totals = kind === 'fish' ? { fish: fish + 1, crabs } : { fish, crabs: crabs + 1 }
    this.#change({ catches: [one, ...this.#state.catches].slice(0, MAX_CATCHES), ...(gamemode && { totals }) })
  }

  #say(text: string): void {
    this.#messageId += 1
    this.#change({ messages: [...this.#state.messages, { id: this.#messageId, text }].slice(-MAX_MESSAGES) })
  }

  #readAccount(): void {
    const { config, target } = this.#session(new AbortController().signal)
    const { profile, user, url, gamemode } = target
    const isLoggedIn = profile?.secrets !== undefined && user !== undefined
    const account = isLoggedIn ? { user: user.value, service: url.value, gamemode: gamemode?.value ?? null } : null
    this.#change({ account: config.current === undefined ? null : account })
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

function problemOf(error: unknown): AppState['problem'] {
  const { message, hint, exit } = describeError(error)
  return { message, hint, needsLogin: error instanceof CliError && exit === EXIT.credentials }
}
