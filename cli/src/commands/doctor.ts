import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, ConnectionError } from '@fish-crab/sdk'
import { openClient } from '../client/client.ts'
import { describeError } from '../client/describe-error.ts'
import { catchesText, waitingText } from '../client/flush.ts'
import { findIdentity, type Identity } from '../client/identity.ts'
import { testKey, testSession } from '../client/login.ts'
import { openLocalOutbox, unsentElsewhere } from '../client/outbox.ts'
import { COPYABLE } from '../client/records.ts'
import { EMPTY_CONFIG, readConfig } from '../config/config-file.ts'
import { fileStore } from '../config/file-store.ts'
import { type KeyringContext, openKeyring } from '../config/keyring.ts'
import { configPath } from '../config/paths.ts'
import { isUnencrypted } from '../config/profile.ts'
import type { AdminSession } from '../config/secret-store.ts'
import { settingValue } from '../config/settings.ts'
import { resolveTarget, serviceWords, type Target } from '../config/target.ts'
import { commandLine } from '../core/command-line.ts'
import type { Config, Context } from '../core/context.ts'
import { EXIT } from '../core/errors.ts'
import { localTime } from '../core/time.ts'
import { defineCommand, Flags } from '../kit/define.ts'
import { addressFlags, outputFlags, userFlag } from '../kit/flags.ts'
import type { Column } from '../output/columns.ts'
import { paint, type Screen, type Style } from '../output/screen.ts'
import { printable, wrapMessage } from '../output/text.ts'
import { readManifest } from '../package.ts'
import { findGames, searchedLocations, usualLocations } from '../watch/locations.ts'

const STYLES: Readonly<Record<CheckStatus, Style>> = { ok: 'green', warn: 'yellow', fail: 'red' }

const COLUMNS: readonly Column<CheckResult>[] = ['check', 'status', 'result', 'fix'].map((field) => ({ field }))

export const doctorCommand = defineCommand({
  summary: 'Diagnose problems and suggest fixes.',
  description:
    'Checks this machine (Node, settings, stored secrets, game log, outbox) and the service (connection, ' +
    'version, clock, your keys). The command sends at most three requests, which store nothing. The command exits ' +
    'with 1 if a check fails. Warnings do not change the exit status.',
  examples: ['fish-cli doctor', 'fish-cli doctor --json --offline'],
  flags: {
    offline: Flags.boolean({ summary: 'Check only this machine and send no request.' }),
    ...userFlag,
    ...addressFlags,
    ...outputFlags,
  },

  async run(context) {
    const { flags } = context
    const config = usableConfig(context)
    const rows = [
      // This check always passes, because the program does not start with an older Node.
      await runCheck('node', () => ok(`Node ${process.versions.node}; ${readManifest().engines.node} is required.`)),
      await runCheck('config', () => checkConfig(context)),
      await runCheck('secrets', () => checkSecretFile(context)),
      await runCheck('keyring', () => checkKeyring(context, config)),
      await runCheck('log', () => checkGameLog(context)),
    ]
    let target: Target | undefined
    try {
      target = resolveTarget({ env: context.env, config }, flags)
    } catch (error) {
      // An unknown profile is reported as a failed check.
      rows.push(await runCheck('profile', () => Promise.reject(error)))
    }
    if (target) {
      const known = target
      rows.push(await runCheck('outbox', () => checkOutbox(context, known)))
      for (const { result, fix } of await unsentElsewhere(context, known.url.value)) {
        rows.push({ check: 'outbox', ...warn(result, fix) })
      }
      if (!flags.offline) rows.push(...(await checkService(context, known)))
    }
    const isHealthy = rows.every(({ status }) => status !== 'fail')
    const document = { ok: isHealthy, checks: rows }
    if (flags.csv) await context.printRows({ rows, columns: COLUMNS, document })
    else context.print(document, () => reportText(rows, context.screen), COPYABLE)
    return isHealthy ? EXIT.ok : EXIT.failure
  },
})

/** Wraps also in a pipe, because the report is for people, who send it to others. */
function reportText(rows: readonly CheckResult[], screen: Screen): string {
  const paragraphs = rows.map(({ check, status, result, fix }) => {
    const head = `${check}: ${paint(STYLES[status], status, screen.colours)}`
    const facts = [...result.split('\n'), ...(fix?.split('\n') ?? [])].map((line) => `  ${printable(line)}`)
    return [head, wrapMessage(facts.join('\n'), { ...screen, width: screen.width ?? WIDTH })].join('\n')
  })
  return paragraphs.join('\n')
}

const WIDTH = 80

type CheckStatus = 'ok' | 'warn' | 'fail'

interface CheckResult {
  readonly check: string
  readonly status: CheckStatus
  readonly result: string
  readonly fix: string | null
}

type Outcome = Omit<CheckResult, 'check'>

const ok = (result: string): Outcome => ({ status: 'ok', result, fix: null })
const warn = (result: string, fix: string): Outcome => ({ status: 'warn', result, fix })
const fail = (result: string, fix: string): Outcome => ({ status: 'fail', result, fix })

/** Runs a check. An error counts as a failed check, except after Ctrl-C. */
async function runCheck(
  check: string,
  work: () => Outcome | Promise<Outcome>,
  signal?: AbortSignal,
): Promise<CheckResult> {
  try {
    return { check, ...(await work()) }
  } catch (error) {
    signal?.throwIfAborted()
    const { message, hint } = describeError(error)
    return { check, status: 'fail', result: message, fix: hint }
  }
}

const OTHERS = 0o077

function usableConfig(context: KeyringContext): Config {
  try {
    return readConfig(context)
  } catch {
    return EMPTY_CONFIG
  }
}

function checkConfig(context: KeyringContext): Outcome {
  const path = configPath(context)
  const { profiles, current = 'none' } = readConfig(context)
  const mode = modeOf(path)
  if (mode === undefined) return ok(`No configuration file yet; its path is ${path}.`)
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
    return warn(`Others can read ${path}.`, `Run: chmod 600 ${path}`)
  const count = profiles.size === 1 ? '1 profile' : `${profiles.size} profiles`
  return ok(`${path} has ${count}. Current profile: ${current}.`)
}

async function checkSecretFile(context: KeyringContext): Promise<Outcome> {
  const { title, get } = fileStore(context)
  await get('')
  return ok(modeOf(title) === undefined ? 'No secrets file.' : `Only you can read ${title}.`)
}

async function checkKeyring(context: KeyringContext, config: Config): Promise<Outcome> {
  const wanted = settingValue('secret-store', context.env, config.settings) ?? 'auto'
  if (wanted === 'file') return ok('The keyring is not used, because the setting secret-store is file.')
  const keyring = await openKeyring(context)
  if (keyring.available) return ok('The system keyring works.')
  const inUse = [...config.profiles].filter(([, { secrets }]) => secrets === 'keyring').map(([name]) => name)
  if (wanted === 'auto' && inUse.length === 0) return ok(`${keyring.why} Secrets are stored in a file.`)
  const fix = 'Unlock the keyring. Or store secrets in a file: fish-cli config secret-store file && fish-cli login'
  return fail(
    `${keyring.why} The keyring is needed by ${inUse.length > 0 ? `profile ${inUse.join(', ')}` : 'the setting secret-store'}.`,
    fix,
  )
}

/** A missing game log is not a problem, because the user may play on another machine. */
async function checkGameLog(context: Context): Promise<Outcome> {
  const locations = usualLocations(context)
  try {
    const games = await findGames(locations)
    const named = games.map(({ path, launcher, writtenAt }) => {
      const time = localTime(new Date(writtenAt).toISOString())
      return `${printable(path)} (${launcher}), last written ${time} (local time)`
    })
    return ok(`watch would follow ${named.join('; ')}.`)
  } catch (error) {
    const { message, hint } = describeError(error)
    const searched = (await searchedLocations(locations)).map(
      ({ launcher, folder, pattern }) => `${printable(join(folder, pattern))} (${launcher})`,
    )
    return ok([`${message} ${hint}`, 'Searched:', ...searched].join('\n'))
  }
}

function modeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mode
}

async function checkOutbox(context: Context, target: Target): Promise<Outcome> {
  await using outbox = await openLocalOutbox(context, target)
  const { pending, rejected } = (await outbox?.status()) ?? { pending: 0, rejected: 0 }
  if (rejected > 0) return warn(`The service rejected ${catchesText(rejected)}.`, 'See why: fish-cli outbox')
  if (pending > 0) return warn(waitingText(pending), 'Send them: fish-cli outbox --send')
  return ok('The outbox is empty.')
}

async function checkService(context: Context, target: Target): Promise<readonly CheckResult[]> {
  let client: Client
  let identity: Identity
  try {
    identity = await findIdentity(context, target)
    // The client does not wait for the rate limit, because `doctor` reports an exhausted rate limit.
    client = await openClient(context, target, { maxWaitMs: 0, maxRetries: 0 })
  } catch (error) {
    return [await runCheck('connection', () => Promise.reject(error))]
  }
  const signal = context.interrupted()
  const { findings, counted } = await checkConnection(context, client, { url: target.url.value, signal })
  if (findings.some(({ status }) => status === 'fail')) return findings
  const { apiKey, session } = identity
  return [
    ...findings,
    await runCheck('key', () => checkKey(client, target, { identity, signal }), signal),
    ...(apiKey === null ? [] : [await runCheck('api-key', () => checkApiKey(apiKey, counted))]),
    ...(session ? [await runCheck('session', () => checkSession(context, target, { session, signal }), signal)] : []),
  ]
}

async function checkConnection(
  { clock }: Context,
  client: Client,
  { url, signal }: { readonly url: string; readonly signal: AbortSignal },
) {
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
  client: Client,
  target: Target,
  { identity: { user, fernetKey, key }, signal }: { identity: Identity; signal: AbortSignal },
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

async function checkSession(
  context: Context,
  target: Target,
  { session, signal }: { session: AdminSession; signal: AbortSignal },
): Promise<Outcome> {
  const subject = `The session of the administrator ${session.username}`
  if ((await testSession(context, target, session, signal)) === 'accepted') {
    return ok(`${subject} is valid until ${localTime(session.expiresAt)} (local time).`)
  }
  return warn(
    `${subject} has expired.`,
    `Log in again: ${commandLine('login', session.username, '--admin', ...serviceWords(target))}`,
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
