import {
  ApiError,
  ConnectionError,
  type ErrorCode,
  FernetError,
  FishCrabError,
  InvalidResponseError,
  RateLimitError,
  TimeoutError,
  ValidationError,
} from '@fish-crab/sdk'
import { DEFAULT_BASE_URL, ERROR_CODES } from '@fish-crab/sdk/constants'
import { CliError, type ErrorReport, EXIT, type ExitStatus, hintText, oneLine } from './errors.ts'
import type { Role } from './system.ts'
import { localTime } from './time.ts'

// `needs` is the role that the command requires.
export function describeError(error: unknown, needs: Role = 'player'): ErrorReport {
  if (error instanceof CliError) {
    const { code, message, hint, exit, requestId, retryAt } = error
    return { code, message, hint, exit, requestId, retryAt }
  }
  if (error instanceof RateLimitError) {
    const report = responseReport(error, rateLimitHint(error.resetAt, needs), EXIT.rateLimited)
    return { ...report, retryAt: error.resetAt.toISOString() }
  }
  if (isBadGateway(error)) {
    const message = `A proxy responded with status ${error.status} instead of the service.`
    return { ...errorReport('bad_gateway', message, TRY_LATER, EXIT.unreachable), requestId: error.requestId ?? null }
  }
  if (error instanceof ApiError) {
    const report = responseReport(error, hintFor(error.status, error.code, needs), exitStatusOf(error))
    return isNotFromService(error) ? { ...report, code: 'invalid_response' } : report
  }
  if (error instanceof ConnectionError) {
    const { code, summary } = error
    const isLate = error instanceof TimeoutError
    const hint = isLate ? TRY_LATER : unreachableHint(error)
    return errorReport(isLate ? code : 'unreachable', summary, hint, EXIT.unreachable)
  }
  if (error instanceof InvalidResponseError) {
    const hint =
      error.status >= 300 && error.status < 400
        ? 'Set --url (or FISH_URL) to the address to which the service redirects.'
        : WRONG_ADDRESS
    return { ...errorReport(error.code, error.summary, hint, EXIT.failure), requestId: error.requestId ?? null }
  }
  if (error instanceof ValidationError) return validationReport(error)
  if (error instanceof FernetError) return errorReport(error.code, 'Your key is not valid.', NEW_KEY, EXIT.credentials)
  // Other errors of the SDK contain their own hint.
  if (error instanceof FishCrabError) return errorReport(error.code, error.summary, error.hint, EXIT.failure)
  return bugReport(error)
}

function errorReport(code: string, message: string, hint: string | undefined, exit: ExitStatus): ErrorReport {
  return {
    code,
    message: oneLine(message),
    hint: hint === undefined ? null : hintText(hint),
    exit,
    requestId: null,
    retryAt: null,
  }
}

function responseReport(error: ApiError, hint: string | undefined, exit: ExitStatus): ErrorReport {
  const details = (error.details ?? []).map(({ path, message }) => ` ${path}: ${message}.`)
  return {
    // The message is joined into one line, so that text from a service cannot look like output of this program.
    ...errorReport(
      error.code,
      `${rejectionText({ code: error.code, message: error.summary })}${details.join('')}`.replace(/\s+/g, ' '),
      hint,
      exit,
    ),
    requestId: error.requestId ?? null,
  }
}

/**
 * Returns the reason from the service in words that players understand: players know about keys, but not about tokens.
 */
export function rejectionText({ code, message }: { readonly code: string; readonly message: string }): string {
  return code === 'invalid_token' ? 'The service does not accept your key. The key may have been replaced.' : message
}

interface UnknownOutcome {
  /** A sentence about the possible change. @default no additional sentence */
  readonly outcome?: string
  readonly hint: string | readonly string[]
}

/** Adds the next step if the failed request may have changed data, because repeating it could change the data twice. */
export function withUnknownOutcome(error: unknown, { outcome, hint }: UnknownOutcome): unknown {
  if (!(error instanceof FishCrabError && error.mayHaveChanged)) return error
  const report = describeError(error)
  const message = outcome === undefined ? report.message : `${report.message} ${outcome}`
  return new CliError({ ...report, message, hint })
}

export function isUntrusted({ systemCode = '' }: ConnectionError): boolean {
  return /CERT|_SIGNATURE|ERR_TLS/.test(systemCode)
}

function unreachableHint(error: ConnectionError): string {
  const { systemCode } = error
  if (systemCode === 'ENOTFOUND' || systemCode === 'EAI_AGAIN') {
    return 'Check the host name in --url (or FISH_URL), and that this machine is online.'
  }
  if (systemCode === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'The certificate of the service is for another host name. Use the host name of the certificate in --url (or FISH_URL).'
  }
  if (isUntrusted(error)) {
    return (
      'This machine does not trust the certificate of the service. To trust the certificate, set ' +
      'NODE_EXTRA_CA_CERTS to the path of its file.'
    )
  }
  return 'Check that the service is running, and that --url (or FISH_URL) is its address.'
}

/**
 * Describes a bug in this program. The message of the error may quote a secret, so only the class and location are
 * printed.
 */
function bugReport(error: unknown): ErrorReport {
  const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: undefined }
  const place = /^ +(at .*)$/m.exec(stack ?? '')?.[1]
  const message = `This is a bug in fish-cli (${name}${place ? ` ${place}` : ''}).`
  const hint = 'Please report the bug with the command that you typed, without secrets.'
  return errorReport('internal_error', message, hint, EXIT.failure)
}

// Maps the names of SDK options to the flags, arguments and variables of this program.
const SOURCES: Readonly<Record<string, readonly [string, ExitStatus]>> = {
  fernetKey: ['FISH_KEY', EXIT.credentials],
  apiKey: ['FISH_API_KEY', EXIT.credentials],
  username: ['The name to log in with', EXIT.credentials],
  password: ['The password', EXIT.credentials],
  baseUrl: ['--url (FISH_URL)', EXIT.usage],
  user: ['USER (FISH_USER)', EXIT.usage],
  gamemode: ['--gamemode (FISH_GAMEMODE)', EXIT.usage],
  limit: ['--limit', EXIT.usage],
  name: ['NAME', EXIT.usage],
  newName: ['NEW', EXIT.usage],
  id: ['ID', EXIT.usage],
  rarity: ['--rarity', EXIT.usage],
}

const PROXY_HINT = 'For example: http://proxy.example.org:3128. To use no proxy, set the variable to none.'

// Hints that are more specific than the help of the command.
const VALIDATION_HINTS: Readonly<Record<string, string>> = {
  baseUrl: `For example: ${DEFAULT_BASE_URL}`,
  HTTP_PROXY: PROXY_HINT,
  HTTPS_PROXY: PROXY_HINT,
}

function validationReport({ issues }: ValidationError): ErrorReport {
  const described = issues.map(({ path, message }) => {
    const [source = path, exit = EXIT.usage] = SOURCES[path.split('.').at(-1) ?? ''] ?? []
    // A message that starts with the name of a variable needs no other subject.
    const isNamed = message.startsWith(path)
    return { text: isNamed ? message : `${source}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`, exit }
  })
  if (issues.every(({ path }) => path === 'fernetKey')) {
    return errorReport('invalid_key', 'FISH_KEY is not a valid key.', NEW_KEY, EXIT.credentials)
  }
  const text = described.map((one) => one.text).join(' ')
  if (described.every(({ exit }) => exit === EXIT.credentials)) {
    const hint = 'Correct the text that you typed, or the FISH_… variable.'
    return errorReport('usage', text, hint, EXIT.credentials)
  }
  const [only] = issues
  return errorReport('usage', text, issues.length === 1 ? VALIDATION_HINTS[only?.path ?? ''] : undefined, EXIT.usage)
}

type RefusedResponse = Pick<ApiError, 'status' | 'code'>

function exitStatusOf(refusal: RefusedResponse): ExitStatus {
  const { status, code } = refusal
  if (isNotFromService(refusal)) return EXIT.failure
  // The server cannot distinguish a wrong key from an invalid token. This program sends only valid tokens, so the key
  // is wrong.
  if (status === 401 || status === 403 || code === 'invalid_token') return EXIT.credentials
  if (status === 429) return EXIT.rateLimited
  if (status === 400) return EXIT.usage
  if (status === 404) return EXIT.notFound
  if (status === 409) return EXIT.conflict
  if (status === 503 || code === 'storage_error') return EXIT.unreachable
  return EXIT.failure
}

/**
 * Whether another server sent the error response. Errors of the service always have a code. The statuses 401, 403 and
 * 429 are excluded, because a proxy in front of the service may send these statuses.
 */
function isNotFromService({ status, code }: RefusedResponse): boolean {
  return code === 'unknown' && ![401, 403, 429].includes(status) && status < 500
}

/**
 * Whether a proxy responded because the service did not respond to the proxy. A response from the service itself always
 * has a code.
 */
function isBadGateway(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'unknown' && [502, 503, 504].includes(error.status)
}

export const WRONG_ADDRESS = 'Check that --url (or FISH_URL) is the address of a Fish and Crab Collection Service.'

export const TRY_LATER = 'Try again later. To see whether the service is up: fish-cli status'

const NEW_KEY = 'If FISH_KEY or FISH_KEY_FILE is set, correct it. Otherwise, log in again: fish-cli login'

const LOG_IN_AGAIN = 'Log in again: fish-cli login NAME --admin'
const SHORTER = 'Add fewer names at once, or shorter names.'
const AGREE = 'Check --user and --gamemode, and the FISH_… variables.'

/** Hints by error code. Errors in the command line refer to the help of the command instead. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_token: NEW_KEY,
  token_expired: 'Set the clock of this machine. To check it: fish-cli doctor',
  user_mismatch: AGREE,
  gamemode_mismatch: AGREE,
  invalid_credentials:
    'Check the name and the password. If the password is lost, ask an administrator for a new one. If no ' +
    'administrator can log in, see: fish-cli admin reset-password --help',
  invalid_session: LOG_IN_AGAIN,
  not_found: WRONG_ADDRESS,
  method_not_allowed: WRONG_ADDRESS,
  user_not_found: 'Check the spelling; letter case does not matter.',
  admin_not_found: 'See the administrators: fish-cli admin list',
  user_suspended: 'Until the suspension ends, fish-cli watch keeps new catches on this computer.',
  invitation_not_found: 'See the invitations: fish-cli invitation list',
  too_many_invitations: 'End an invitation: fish-cli invitation end ID',
  record_not_found: 'See the records: fish-cli list --detail',
  entry_not_found: 'See the records: fish-cli list --detail',
  user_exists: 'Choose another name.',
  admin_exists: 'Choose another name.',
  last_superadmin: 'Run: fish-cli admin create NAME --role superadmin',
  payload_too_large: SHORTER,
  headers_too_large: SHORTER,
  request_timeout: TRY_LATER,
  client_closed_request: TRY_LATER,
}

function hintFor(status: number, code: string, needs: Role): string | undefined {
  if (code === 'forbidden') return roleHint(needs)
  const own = Object.hasOwn(HINTS, code) ? HINTS[code as ErrorCode] : undefined
  if (own !== undefined) return own
  if (status >= 500) return TRY_LATER
  if (status === 403) return 'A proxy in front of the service may have rejected the request.'
  if (status === 401) return HINTS.invalid_credentials
  // A response without a known error code may come from any server.
  return code === 'unknown' ? WRONG_ADDRESS : undefined
}

function roleHint(needs: Role): string {
  if (needs === 'player')
    return 'Only administrators may do this. Choose one with --admin, or check your account: fish-cli whoami'
  const whose = needs === 'superadmin' ? 'a superadmin' : 'an administrator'
  return `This needs the rights of ${whose}. Choose one with --admin (FISH_ADMIN_USERNAME), or log in: fish-cli login NAME --admin`
}

function rateLimitHint(resetAt: Date, needs: Role): string {
  const wait = `Try again at ${localTime(resetAt)} (local time), or allow a longer --max-wait`
  if (needs === 'player') return `${wait}, or use an API key (FISH_API_KEY).`
  return `${wait}. An API key does not lift the limit of administrators.`
}

/** The next step after a permanent rejection with this code. */
export function hintForCode(code: string): string | undefined {
  return hintFor(400, code, 'player')
}

/** Returns the error with which the service would reject the real request, for a dry run that sends no such request. */
export function expectedRefusal(code: keyof typeof ERROR_CODES, needs: Role): CliError {
  const { status, message } = ERROR_CODES[code]
  const hint = hintFor(status, code, needs)
  return new CliError({ code, message, hint, exit: exitStatusOf({ status, code }) })
}
