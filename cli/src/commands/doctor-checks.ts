import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Client, ConnectionError } from '@fish-crab/sdk'
import { fileStore } from '../auth/file-store.ts'
import { findIdentity, type Identity } from '../auth/identity.ts'
import { type KeyringIo, openKeyring } from '../auth/keyring.ts'
import { openClient } from '../client/client.ts'
import { describeError } from '../client/describe-error.ts'
import { catchesText } from '../client/flush.ts'
import { type KeyTest, testKey, testSession } from '../client/login.ts'
import { openLocalOutbox, outboxPath } from '../client/outbox.ts'
import { checkConfigChange, EMPTY_CONFIG, readConfig } from '../config/config-file.ts'
import { isNotFound } from '../config/files.ts'
import { configPath } from '../config/paths.ts'
import { isUnencrypted } from '../config/profile.ts'
import { settingValue } from '../config/settings.ts'
import type { Target } from '../config/target.ts'
import type { Config, Context } from '../core/context.ts'
import { localTime } from '../core/time.ts'
import { readManifest } from '../package.ts'

/** How a thing stands. */
export type Health = 'ok' | 'warn' | 'fail'

/** One thing that was looked at. */
export interface Finding {
  readonly check: string
  readonly status: Health
  /** What was found, a sentence. */
  readonly found: string
  /** What to do about it. */
  readonly mend: string | null
}

/** All is well. */
function ok(check: string, found: string): Finding {
  return { check, status: 'ok', found, mend: null }
}

/** It works, and could be better. */
function warn(check: string, found: string, mend: string): Finding {
  return { check, status: 'warn', found, mend }
}

/** It does not work. */
function fail(check: string, found: string, mend: string | null): Finding {
  return { check, status: 'fail', found, mend }
}

/** A check that threw, told as the failure of a command would be. */
export function threw(check: string, error: unknown): Finding {
  const { message, hint } = describeError(error)
  return fail(check, message, hint)
}

const OTHERS = 0o077

/** What can be checked without a service. */
interface LocalChecks {
  readonly findings: readonly Finding[]
  /** The configuration; an empty one when it cannot be used. */
  readonly config: Config
}

/** Checks Node, the configuration, the file of secrets and the keyring. */
export async function checkLocally(io: KeyringIo): Promise<LocalChecks> {
  const { engines } = readManifest()
  const { config, finding } = checkConfig(io)
  return {
    findings: [
      nodeFinding(process.versions.node, engines.node),
      finding,
      await checkSecretFile(io),
      await checkKeyring(io, config),
    ],
    config,
  }
}

function checkConfig(io: KeyringIo): { readonly config: Config; readonly finding: Finding } {
  const path = configPath(io)
  try {
    const config = readConfig(io)
    checkConfigChange(io, (current) => current)
    const mode = modeOf(path)
    if (mode === undefined) return { config, finding: ok('config', `There is none yet; it would be ${path}.`) }
    const isPrivate = process.platform === 'win32' || (mode & OTHERS) === 0
    const profiles = config.profiles.size === 1 ? '1 profile' : `${config.profiles.size} profiles`
    const found = `${path}: ${profiles}, ${config.current ?? 'none'} is the current one.`
    const finding = isPrivate ? ok('config', found) : warn('config', `Others can read ${path}.`, `chmod 600 ${path}`)
    return { config, finding }
  } catch (error) {
    return { config: EMPTY_CONFIG, finding: threw('config', error) }
  }
}

async function checkSecretFile(io: KeyringIo): Promise<Finding> {
  const { title, get } = fileStore(io)
  try {
    await get('')
    const mode = modeOf(title)
    return ok('secrets', mode === undefined ? 'No file holds secrets.' : `${title} can be read by you alone.`)
  } catch (error) {
    return threw('secrets', error)
  }
}

async function checkKeyring(io: KeyringIo, config: Config): Promise<Finding> {
  try {
    const wanted = settingValue('secret-store', io.env, config.settings) ?? 'auto'
    if (wanted === 'file') return ok('keyring', 'It is not used: secret-store is file.')
    const keyring = await openKeyring(io)
    if (keyring.available) return ok('keyring', 'The keyring of the system answers.')
    const inUse = [...config.profiles].filter(([, { secrets }]) => secrets === 'keyring').map(([name]) => name)
    if (wanted === 'auto' && inUse.length === 0) return ok('keyring', `${keyring.why} Secrets go to a file.`)
    const mend = 'Start the keyring and unlock it, or: fish-cli config set secret-store file, then fish-cli login USER'
    return fail('keyring', `${keyring.why} It is needed${inUse.length > 0 ? ` by ${inUse.join(', ')}` : ''}.`, mend)
  } catch (error) {
    return threw('keyring', error)
  }
}

function modeOf(path: string): number | undefined {
  try {
    return statSync(path).mode
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Checks that catches can be kept until the service has them, and tells of those that wait. */
export async function checkOutbox(io: Context, target: Target): Promise<Finding> {
  const path = outboxPath(io, target.url.value)
  const folder = dirname(path)
  if (!isWritable(nearestFolder(folder))) {
    const mend = 'Check owner and mode of it and of the folder it is in, or set XDG_STATE_HOME to another folder.'
    return fail('outbox', `Catches cannot be kept: ${folder} cannot be made or written.`, mend)
  }
  try {
    await using outbox = await openLocalOutbox(io, target)
    if (!outbox) return ok('outbox', EMPTY)
    const { queued, frozen, dead } = await outbox.status()
    const waiting = queued + frozen
    if (dead > 0) return warn('outbox', `${catchesText(dead)} set aside.`, 'See why: fish-cli outbox status')
    if (waiting > 0) return warn('outbox', `${catchesText(waiting)} not sent yet.`, 'Send them: fish-cli outbox flush')
    return ok('outbox', EMPTY)
  } catch (error) {
    return threw('outbox', error)
  }
}

const EMPTY = 'Nothing waits to be sent.'

/** The folder, or the one it would be made in. */
function nearestFolder(folder: string): string {
  const above = dirname(folder)
  return existsSync(folder) || above === folder ? folder : nearestFolder(above)
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}

/** Checks the way to the service, its clock, and the keys against it; with three requests at most. */
export async function checkService(io: Context, chosen: Target): Promise<readonly Finding[]> {
  let client: Client
  let identity: Identity
  try {
    identity = await findIdentity(io, chosen)
    // A doctor does not wait: that the limit holds is a finding.
    client = await openClient(io, chosen, { maxWaitMs: 0, maxRetries: 0 })
  } catch (error) {
    return [threw('connection', error)]
  }
  const signal = io.interrupted()
  const { findings, counted } = await checkConnection(io, client, { url: chosen.url.value, signal })
  signal.throwIfAborted()
  if (findings.some(({ status }) => status === 'fail')) return findings
  return [
    ...findings,
    await checkKey(client, identity, signal),
    ...checkApiKey(identity, counted),
    ...(await checkSession(io, chosen, { identity, signal })),
  ]
}

interface Connection {
  readonly findings: readonly Finding[]
  readonly counted: boolean
}

async function checkConnection(
  io: Context,
  client: Client,
  { url, signal }: { readonly url: string; readonly signal: AbortSignal },
): Promise<Connection> {
  const { clock } = io
  const sentAt = clock.now()
  try {
    const { data, response } = await client.status({ signal }).withResponse()
    const answeredAt = clock.now()
    const found = `${url} answered in ${answeredAt - sentAt} ms.`
    const findings = [
      isUnencrypted(url)
        ? warn(
            'connection',
            `${found} It is not encrypted.`,
            'Use an https address: others on the way can read passwords.',
          )
        : ok('connection', found),
      ok('service', 'It is a Fish and Crab Collection Service, and it is well.'),
      versionFinding(readManifest().version, data.version),
      clockFinding({ sentAt, answeredAt, date: response.headers.get('date') }),
    ]
    return { findings, counted: data.rateLimit !== undefined }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ConnectionError) return { findings: [threw('connection', error)], counted: false }
    const connection = ok('connection', `${url} answers.`)
    return { findings: [connection, threw('service', error)], counted: false }
  }
}

async function checkKey(client: Client, identity: Identity, signal: AbortSignal): Promise<Finding> {
  const { user, fernetKey, key } = identity
  if (user === null || fernetKey === undefined) {
    return warn('key', 'There is no key to add catches with.', 'Log in: fish-cli login USER')
  }
  try {
    const { accepted }: KeyTest = await testKey(client, { user, fernetKey, signal })
    const found = `The service takes the key of ${user}, from ${placeText(key)}.`
    if (accepted) return ok('key', found)
    const mend = key === 'environment' ? 'Correct FISH_KEY or FISH_KEY_FILE.' : `Fetch it anew: fish-cli login ${user}`
    return fail('key', `The service does not take the key of ${user}, from ${placeText(key)}.`, mend)
  } catch (error) {
    signal.throwIfAborted()
    return threw('key', error)
  }
}

function checkApiKey({ apiKey }: Identity, counted: boolean): readonly Finding[] {
  if (apiKey === null) return []
  const place = placeText(apiKey)
  if (!counted) return [ok('api-key', `The API key, from ${place}, lifts the rate limit.`)]
  const mend = 'Correct FISH_API_KEY, or: fish-cli login USER --with-api-key'
  return [fail('api-key', `The service does not know the API key, from ${place}, and counts requests.`, mend)]
}

async function checkSession(
  io: Context,
  chosen: Target,
  { identity: { session }, signal }: { readonly identity: Identity; readonly signal: AbortSignal },
): Promise<readonly Finding[]> {
  if (!session) return []
  try {
    const trial = await testSession(io, chosen, session, signal)
    const who = `The session of the administrator ${session.username}`
    if (trial === 'accepted')
      return [ok('session', `${who} is open until ${localTime(session.expiresAt)} (local time).`)]
    return [warn('session', `${who} is over.`, `Log in again: fish-cli login ${session.username} --admin`)]
  } catch (error) {
    signal.throwIfAborted()
    return [threw('session', error)]
  }
}

function placeText(place: Identity['key']): string {
  return place === 'environment' ? 'the environment' : place === 'keyring' ? 'the keyring' : 'a file'
}

/** Whether this Node is one that `engines` asks for, such as `>=22.19`. */
export function nodeFinding(running: string, engines: string): Finding {
  const needed = engines.replace(/^>=/, '')
  if (compareVersions(running, needed) >= 0) return ok('node', `Node ${running}; ${needed} or later is needed.`)
  return fail(
    'node',
    `This is Node ${running}; ${needed} or later is needed.`,
    'Install a newer one: https://nodejs.org',
  )
}

/** Whether program and service are of one major version, or before 1.0 of one minor version. */
export function versionFinding(own: string, service: string): Finding {
  const found = `fish-cli ${own}, service ${service}.`
  if (seriesOf(own) === seriesOf(service)) return ok('version', found)
  return warn('version', found, 'They may not understand each other in everything; use versions of one series.')
}

function seriesOf(version: string): string {
  const [major = '', minor = ''] = version.split('.')
  return major === '0' ? `0.${minor}` : major
}

function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map((part) => Number.parseInt(part, 10)))
  for (const index of [0, 1, 2]) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** When a request left and its answer came, here, and when it was answered, there; all in milliseconds. */
interface ClockReading {
  readonly sentAt: number
  readonly answeredAt: number
  /** The answer's `Date` header. */
  readonly date: string | null
}

// What the Fernet specification grants, and so do services that look at a token's age.
const TOLERATED_SECONDS = 60
// `Date` has whole seconds, rounded down.
const DATE_STEP_MS = 1000

/** How far this clock is from the server's. Within half the time of the request and a second nothing can be said. */
export function clockFinding({ sentAt, answeredAt, date }: ClockReading): Finding {
  const server = Date.parse(date ?? '')
  if (Number.isNaN(server)) return warn('clock', 'The service does not say what time it is.', 'Nothing can be checked.')
  const difference = (sentAt + answeredAt) / 2 - (server + DATE_STEP_MS / 2)
  const doubt = (answeredAt - sentAt) / 2 + DATE_STEP_MS / 2
  const seconds = Math.round(Math.max(0, Math.abs(difference) - doubt) / 1000)
  if (seconds === 0) return ok('clock', 'This clock agrees with that of the service.')
  const found = `This clock is ${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} that of the service.`
  if (seconds <= TOLERATED_SECONDS) return ok('clock', found)
  return warn(
    'clock',
    found,
    'Set the clock, best by network time: catches carry its time, and strict services refuse them.',
  )
}
