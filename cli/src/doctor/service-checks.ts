import { type Client, isConnectionError } from '@fish-crab/sdk'
import { findIdentity, type Identity } from '../auth/identity.ts'
import { clientFor } from '../client/client.ts'
import { type KeyTrial, tryKey, trySession } from '../client/login.ts'
import { isUnencrypted } from '../config/profile.ts'
import type { Selection } from '../config/selection.ts'
import type { RunIo } from '../core/run-io.ts'
import { localTime } from '../core/time.ts'
import { readManifest } from '../package.ts'
import { clockFinding } from './clock-skew.ts'
import { type Finding, fail, ok, threw, warn } from './finding.ts'
import { versionFinding } from './versions.ts'

/** Checks the way to the service, its clock, and the keys against it; with three requests at most. */
export async function checkService(io: RunIo, chosen: Selection): Promise<readonly Finding[]> {
  let client: Client
  let identity: Identity
  try {
    identity = await findIdentity(io, chosen)
    // A doctor does not wait: that the limit holds is a finding.
    client = await clientFor(io, chosen, { maxWaitMs: 0, maxRetries: 0 })
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
  io: RunIo,
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
    if (isConnectionError(error)) return { findings: [threw('connection', error)], counted: false }
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
    const { accepted }: KeyTrial = await tryKey(client, { user, fernetKey, signal })
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
  io: RunIo,
  chosen: Selection,
  { identity: { session }, signal }: { readonly identity: Identity; readonly signal: AbortSignal },
): Promise<readonly Finding[]> {
  if (!session) return []
  try {
    const trial = await trySession(io, chosen, session, signal)
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
