import { type Client, ConnectionError } from '@fish-crab/sdk'
import { commandLine } from '../../core/argv.ts'
import { localTime } from '../../core/time.ts'
import { readManifest } from '../../package.ts'
import { isUnencrypted } from '../../session/profiles.ts'
import type { AdminSession } from '../../session/secret-store.ts'
import type { Session } from '../../session/session.ts'
import { serviceWords } from '../../session/target.ts'
import { testKey, testSession } from '../account/fetch-login.ts'
import { findIdentity, type Identity } from '../account/identity.ts'
import { type CheckResult, fail, type Outcome, ok, runCheck, warn } from './check.ts'

export async function checkService(session: Session): Promise<readonly CheckResult[]> {
  let client: Client
  let identity: Identity
  try {
    identity = await findIdentity(session)
    // The client does not wait for the rate limit, because `doctor` reports an exhausted rate limit.
    client = await session.client({ maxWaitMs: 0, maxRetries: 0 })
  } catch (error) {
    return [await runCheck('connection', () => Promise.reject(error))]
  }
  const { signal } = session
  const { findings, counted } = await checkConnection(session, client)
  if (findings.some(({ status }) => status === 'fail')) return findings
  const { apiKey, session: stored } = identity
  return [
    ...findings,
    await runCheck('key', () => checkKey(session, client, identity), signal),
    ...(apiKey === null ? [] : [await runCheck('api-key', () => checkApiKey(apiKey, counted))]),
    ...(stored ? [await runCheck('session', () => checkSession(session, stored), signal)] : []),
  ]
}

async function checkConnection({ clock, signal, url }: Session, client: Client) {
  const sentAt = clock.now()
  try {
    const { data, response } = await client.status({ signal }).withResponse()
    const respondedAt = clock.now()
    const result = `${url} responded in ${respondedAt - sentAt} ms.`
    const fix = 'Use an https address. Otherwise, others can read passwords in transit.'
    const connection = isUnencrypted(url) ? warn(`${result} The connection is not encrypted.`, fix) : ok(result)
    const findings = [
      { check: 'connection', ...connection },
      { check: 'service', ...ok('A healthy Fish and Crab Collection Service.') },
      { check: 'version', ...compareVersions(readManifest().version, data.version) },
      { check: 'clock', ...compareClocks(sentAt, respondedAt, response.headers.get('date')) },
    ]
    return { findings, counted: data.rateLimit !== undefined }
  } catch (error) {
    const rejected = () => Promise.reject(error)
    if (error instanceof ConnectionError) {
      return { findings: [await runCheck('connection', rejected, signal)], counted: false }
    }
    const connection = { check: 'connection', ...ok(`${url} responds.`) }
    return { findings: [connection, await runCheck('service', rejected, signal)], counted: false }
  }
}

async function checkKey(
  { signal, target }: Session,
  client: Client,
  { user, fernetKey, key }: Identity,
): Promise<Outcome> {
  if (user === null || fernetKey === undefined) {
    return warn('You cannot add catches, because no key is stored.', 'Log in: fish-cli login')
  }
  const { accepted } = await testKey(client, { user, fernetKey, signal })
  if (accepted) return ok(`The service accepts the key of ${user}, from ${sourceText(key)}.`)
  const fix =
    key === 'environment'
      ? 'Correct FISH_KEY or FISH_KEY_FILE.'
      : `Log in again: ${commandLine('login', user, ...serviceWords(target))}`
  return fail(`The service rejects the key of ${user}, from ${sourceText(key)}.`, fix)
}

function checkApiKey(apiKey: NonNullable<Identity['apiKey']>, counted: boolean): Outcome {
  const source = sourceText(apiKey)
  if (!counted) return ok(`The API key from ${source} lifts the rate limit.`)
  const fix = 'Correct FISH_API_KEY, or store your API key again: fish-cli login --with-api-key'
  return fail(`The service does not know the API key from ${source}, and limits your requests.`, fix)
}

async function checkSession(session: Session, stored: AdminSession): Promise<Outcome> {
  const subject = `The session of the administrator ${stored.username}`
  if ((await testSession(session, stored)) === 'accepted') {
    return ok(`${subject} is valid until ${localTime(stored.expiresAt)} (local time).`)
  }
  return warn(
    `${subject} has expired.`,
    `Log in again: ${commandLine('login', stored.username, '--admin', ...serviceWords(session.target))}`,
  )
}

function sourceText(source: Identity['key']): string {
  return source === 'file' ? 'a file' : `the ${source}`
}

/** Before version 1.0, versions with different minor numbers may be incompatible. */
export function compareVersions(own: string, service: string): Outcome {
  const result = `fish-cli ${own}, service ${service}.`
  if (seriesOf(own) === seriesOf(service)) return ok(result)
  const fix = 'The versions may be incompatible. Use the same major version, or the same minor version before 1.0.'
  return warn(result, fix)
}

function seriesOf(version: string): string {
  const [major = '', minor = ''] = version.split('.')
  return major === '0' ? `0.${minor}` : major
}

// The clock skew that the Fernet specification allows.
const TOLERATED_SECONDS = 60
// The `Date` header contains the time in whole seconds, rounded down.
const DATE_STEP_MS = 1000

/** The margin of error is half the duration of the request plus half a second. */
export function compareClocks(sentAt: number, respondedAt: number, date: string | null): Outcome {
  const server = Date.parse(date ?? '')
  if (Number.isNaN(server)) return warn('The response has no valid Date header.', 'The clock cannot be checked.')
  const difference = (sentAt + respondedAt) / 2 - (server + DATE_STEP_MS / 2)
  const margin = (respondedAt - sentAt) / 2 + DATE_STEP_MS / 2
  const seconds = Math.round(Math.max(0, Math.abs(difference) - margin) / 1000)
  if (seconds === 0) return ok('The clock of this machine matches the clock of the service.')
  const result = `The clock of this machine is ${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} the clock of the service.`
  if (seconds <= TOLERATED_SECONDS) return ok(result)
  const fix = 'Set the clock by network time. A service may reject catches from a wrong clock.'
  return warn(result, fix)
}
