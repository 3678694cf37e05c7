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
import { checkConfigWritable, EMPTY_CONFIG, readConfig } from '../config/config-file.ts'
import { isNotFound } from '../config/files.ts'
import { configPath } from '../config/paths.ts'
import { isUnencrypted } from '../config/profile.ts'
import { settingValue } from '../config/settings.ts'
import type { Target } from '../config/target.ts'
import type { Config, Context } from '../core/context.ts'
import { localTime } from '../core/time.ts'
import { readManifest } from '../package.ts'

/** The result of a check. */
export type Health = 'ok' | 'warn' | 'fail'

/** The outcome of one check. `found` and `mend` are the field names in the JSON output. */
export interface Finding {
  readonly check: string
  readonly status: Health
  readonly found: string
  /** How to fix it. */
  readonly mend: string | null
}

function ok(check: string, found: string): Finding {
  return { check, status: 'ok', found, mend: null }
}

function warn(check: string, found: string, fix: string): Finding {
  return { check, status: 'warn', found, mend: fix }
}

function fail(check: string, found: string, fix: string | null): Finding {
  return { check, status: 'fail', found, mend: fix }
}

/** A check that threw, described like the error of a command. */
export function threw(check: string, error: unknown): Finding {
  const { message, hint } = describeError(error)
  return fail(check, message, hint)
}

const OTHERS = 0o077

/** Results of the checks that need no service. */
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
    checkConfigWritable(io)
    const mode = modeOf(path)
    if (mode === undefined) return { config, finding: ok('config', `No configuration file yet; its path is ${path}.`) }
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
    return ok('secrets', mode === undefined ? 'No secrets file.' : `Only you can read ${title}.`)
  } catch (error) {
    return threw('secrets', error)
  }
}

async function checkKeyring(io: KeyringIo, config: Config): Promise<Finding> {
  try {
    const wanted = settingValue('secret-store', io.env, config.settings) ?? 'auto'
    if (wanted === 'file') return ok('keyring', 'Not used: secret-store is file.')
    const keyring = await openKeyring(io)
    if (keyring.available) return ok('keyring', 'The system keyring works.')
    const inUse = [...config.profiles].filter(([, { secrets }]) => secrets === 'keyring').map(([name]) => name)
    if (wanted === 'auto' && inUse.length === 0) return ok('keyring', `${keyring.why} Secrets go to a file.`)
    const fix = 'Start the keyring and unlock it, or: fish-cli config set secret-store file, then fish-cli login USER'
    return fail('keyring', `${keyring.why} It is needed${inUse.length > 0 ? ` by ${inUse.join(', ')}` : ''}.`, fix)
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

/** Checks that catches can be queued, and reports queued and dead ones. */
export async function checkOutbox(io: Context, target: Target): Promise<Finding> {
  const path = outboxPath(io, target.url.value)
  const folder = dirname(path)
  if (!isWritable(nearestFolder(folder))) {
    const fix = 'Check its owner and mode and those of its parent folder, or set XDG_STATE_HOME to another folder.'
    return fail('outbox', `Catches cannot be queued: ${folder} cannot be created or written.`, fix)
  }
  try {
    await using outbox = await openLocalOutbox(io, target)
    if (!outbox) return ok('outbox', EMPTY)
    const { queued, frozen, dead } = await outbox.status()
    const waiting = queued + frozen
    if (dead > 0) return warn('outbox', `${catchesText(dead)} could not be stored.`, 'See why: fish-cli outbox status')
    if (waiting > 0) return warn('outbox', `${catchesText(waiting)} not sent yet.`, 'Send them: fish-cli outbox flush')
    return ok('outbox', EMPTY)
  } catch (error) {
    return threw('outbox', error)
  }
}

const EMPTY = 'The outbox is empty.'

/** The folder, or its nearest parent that exists. */
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

/** Checks the connection, the clock of the service and the keys, with three requests at most. */
export async function checkService(io: Context, target: Target): Promise<readonly Finding[]> {
  let client: Client
  let identity: Identity
  try {
    identity = await findIdentity(io, target)
    // Does not wait: an exhausted rate limit is a finding.
    client = await openClient(io, target, { maxWaitMs: 0, maxRetries: 0 })
  } catch (error) {
    return [threw('connection', error)]
  }
  const signal = io.interrupted()
  const { findings, counted } = await checkConnection(io, client, { url: target.url.value, signal })
  signal.throwIfAborted()
  if (findings.some(({ status }) => status === 'fail')) return findings
  return [
    ...findings,
    await checkKey(client, identity, signal),
    ...checkApiKey(identity, counted),
    ...(await checkSession(io, target, { identity, signal })),
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
    const respondedAt = clock.now()
    const found = `${url} responded in ${respondedAt - sentAt} ms.`
    const findings = [
      isUnencrypted(url)
        ? warn(
            'connection',
            `${found} The connection is not encrypted.`,
            'Use an https address: passwords can be read in transit.',
          )
        : ok('connection', found),
      ok('service', 'A healthy Fish and Crab Collection Service.'),
      versionFinding(readManifest().version, data.version),
      clockFinding({ sentAt, respondedAt, date: response.headers.get('date') }),
    ]
    return { findings, counted: data.rateLimit !== undefined }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ConnectionError) return { findings: [threw('connection', error)], counted: false }
    const connection = ok('connection', `${url} responds.`)
    return { findings: [connection, threw('service', error)], counted: false }
  }
}

async function checkKey(client: Client, identity: Identity, signal: AbortSignal): Promise<Finding> {
  const { user, fernetKey, key } = identity
  if (user === null || fernetKey === undefined) {
    return warn('key', 'No key to add catches with.', 'Log in: fish-cli login USER')
  }
  try {
    const { accepted }: KeyTest = await testKey(client, { user, fernetKey, signal })
    const found = `The service accepts the key of ${user}, from ${sourceText(key)}.`
    if (accepted) return ok('key', found)
    const fix = key === 'environment' ? 'Correct FISH_KEY or FISH_KEY_FILE.' : `Fetch it again: fish-cli login ${user}`
    return fail('key', `The service rejects the key of ${user}, from ${sourceText(key)}.`, fix)
  } catch (error) {
    signal.throwIfAborted()
    return threw('key', error)
  }
}

function checkApiKey({ apiKey }: Identity, counted: boolean): readonly Finding[] {
  if (apiKey === null) return []
  const source = sourceText(apiKey)
  if (!counted) return [ok('api-key', `The API key, from ${source}, lifts the rate limit.`)]
  const fix = 'Correct FISH_API_KEY, or: fish-cli login USER --with-api-key'
  return [fail('api-key', `The service does not know the API key, from ${source}, and limits requests.`, fix)]
}

async function checkSession(
  io: Context,
  target: Target,
  { identity: { session }, signal }: { readonly identity: Identity; readonly signal: AbortSignal },
): Promise<readonly Finding[]> {
  if (!session) return []
  try {
    const trial = await testSession(io, target, session, signal)
    const subject = `The session of the administrator ${session.username}`
    if (trial === 'accepted')
      return [ok('session', `${subject} is valid until ${localTime(session.expiresAt)} (local time).`)]
    return [warn('session', `${subject} has expired.`, `Log in again: fish-cli login ${session.username} --admin`)]
  } catch (error) {
    signal.throwIfAborted()
    return [threw('session', error)]
  }
}

function sourceText(source: Identity['key']): string {
  return source === 'environment' ? 'the environment' : source === 'keyring' ? 'the keyring' : 'a file'
}

/** @param engines The required version, such as `>=22.19` */
export function nodeFinding(running: string, engines: string): Finding {
  const needed = engines.replace(/^>=/, '')
  if (compareVersions(running, needed) >= 0) return ok('node', `Node ${running}; ${needed} or later is required.`)
  return fail(
    'node',
    `Node ${running} is too old; ${needed} or later is required.`,
    'Install a newer version: https://nodejs.org',
  )
}

/** Compares major versions, or minor versions before 1.0. */
export function versionFinding(own: string, service: string): Finding {
  const found = `fish-cli ${own}, service ${service}.`
  if (seriesOf(own) === seriesOf(service)) return ok('version', found)
  return warn(
    'version',
    found,
    'They may be incompatible. Use the same major version, or the same minor version before 1.0.',
  )
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

/** Times of a request on this clock, in milliseconds, and the time of its response on the server. */
interface ClockReading {
  readonly sentAt: number
  readonly respondedAt: number
  /** The `Date` header of the response. */
  readonly date: string | null
}

// The clock skew that the Fernet specification allows.
const TOLERATED_SECONDS = 60
// `Date` has whole seconds, rounded down.
const DATE_STEP_MS = 1000

/** Compares this clock with that of the server. The margin of error is half the duration of the request plus half a second. */
export function clockFinding({ sentAt, respondedAt, date }: ClockReading): Finding {
  const server = Date.parse(date ?? '')
  if (Number.isNaN(server))
    return warn('clock', 'The response has no valid Date header.', 'The clock cannot be checked.')
  const difference = (sentAt + respondedAt) / 2 - (server + DATE_STEP_MS / 2)
  const margin = (respondedAt - sentAt) / 2 + DATE_STEP_MS / 2
  const seconds = Math.round(Math.max(0, Math.abs(difference) - margin) / 1000)
  if (seconds === 0) return ok('clock', 'This clock matches that of the service.')
  const found = `This clock is ${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} that of the service.`
  if (seconds <= TOLERATED_SECONDS) return ok('clock', found)
  return warn(
    'clock',
    found,
    'Set the clock, best by network time: catches are encrypted with its time, and a strict service rejects them.',
  )
}
