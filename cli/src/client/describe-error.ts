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
import type { Role } from '../core/context.ts'
import { CliError, type ErrorReport, EXIT, type ExitStatus, errorReport, reportOf } from '../core/errors.ts'
import { GAMEMODE_LIST, NO_SUCH_GAMEMODE } from '../core/gamemode.ts'
import { localTime } from '../core/time.ts'

/**
 * What a thrown value means to who typed the command.
 *
 * @param needs Whose rights the command takes.
 */
export function describeError(error: unknown, needs: Role = 'player'): ErrorReport {
  if (error instanceof CliError) return reportOf(error)
  if (error instanceof RateLimitError) {
    const answer = ofResponse(error, rateLimitHint(error.resetAt, needs), EXIT.rateLimited)
    return { ...answer, retryAt: error.resetAt.toISOString() }
  }
  if (error instanceof ApiError) {
    const answer = ofResponse(error, hintFor(error.status, error.code, needs), exitStatusOf(error))
    return isForeign(error) ? { ...answer, code: 'invalid_response' } : answer
  }
  if (error instanceof ConnectionError) {
    const { code, summary, proxy } = error
    // Then the hint is about the proxy, and the same everywhere.
    if (proxy !== undefined) return errorReport(code, summary, error.hint, EXIT.unreachable)
    const isLate = error instanceof TimeoutError
    const hint = isLate ? TRY_LATER : unreachableHint(error)
    return errorReport(isLate ? code : 'unreachable', summary, hint, EXIT.unreachable)
  }
  if (error instanceof InvalidResponseError) {
    const hint =
      error.status >= 300 && error.status < 400 ? 'Set --url (or FISH_URL) to the address it leads to.' : WRONG_ADDRESS
    return { ...errorReport(error.code, error.summary, hint, EXIT.failure), requestId: error.requestId ?? null }
  }
  if (error instanceof ValidationError) return validationReport(error)
  if (error instanceof FernetError) return errorReport(error.code, error.summary, SET_KEY_ANEW, EXIT.credentials)
  // Whatever else the SDK throws says itself what happened and what to do.
  if (error instanceof FishCrabError) return errorReport(error.code, error.summary, error.hint, EXIT.failure)
  return ofBug(error)
}

function ofResponse(error: ApiError, hint: string | undefined, exit: ExitStatus): ErrorReport {
  const details = (error.details ?? []).map(({ path, message }) => ` ${path}: ${message}.`)
  return {
    // One line: what a service says must not look like lines of this program.
    ...errorReport(error.code, `${error.summary}${details.join('')}`.replace(/\s*[\r\n]\s*/g, ' '), hint, exit),
    requestId: error.requestId ?? null,
  }
}

/** Whether the certificate of what answers is not trusted here. */
export function isUntrusted({ systemCode = '' }: ConnectionError): boolean {
  return /CERT|_SIGNATURE|ERR_TLS/.test(systemCode)
}

function unreachableHint(error: ConnectionError): string {
  const { systemCode } = error
  if (systemCode === 'ENOTFOUND' || systemCode === 'EAI_AGAIN') {
    return 'Is the name of the host in --url (or FISH_URL) right, and is this machine online?'
  }
  if (isUntrusted(error)) {
    return 'The certificate of the service is not trusted here; NODE_EXTRA_CA_CERTS names a file of others to trust.'
  }
  return 'Is the service running, and is --url (or FISH_URL) right?'
}

/** A mistake of this program. Its message may quote anything, a secret too, so only its kind and place are described. */
function ofBug(error: unknown): ErrorReport {
  const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: undefined }
  const place = stack
    ?.split('\n')
    .find((line) => /^\s+at /.test(line))
    ?.trim()
  const message = `fish-cli failed in a way it should not (${name}${place ? ` ${place}` : ''}).`
  return errorReport(
    'internal_error',
    message,
    'Please report it with the command you typed, without secrets.',
    EXIT.failure,
  )
}

// What the SDK calls a thing, and where it comes from here.
const SOURCES: readonly (readonly [RegExp, string, ExitStatus])[] = [
  [/^fernetKey$/, 'FISH_KEY', EXIT.credentials],
  [/^apiKey$/, 'FISH_API_KEY', EXIT.credentials],
  [/^username$/, 'The name to log in with', EXIT.credentials],
  [/^password$/, 'The password', EXIT.credentials],
  [/^baseUrl$/, '--url (FISH_URL)', EXIT.usage],
  [/^user$/, 'USER (FISH_USER)', EXIT.usage],
  [/^gamemode$/, '--gamemode (FISH_GAMEMODE)', EXIT.usage],
  [/^limit$/, '--limit', EXIT.usage],
  [/^name$/, 'NAME', EXIT.usage],
  [/\.rarity$/, '--rarity', EXIT.usage],
  [/\.name$/, 'NAME', EXIT.usage],
]

// What to type instead, where an example says more than the help of the command.
const VALIDATION_HINTS: Readonly<Record<string, string>> = {
  gamemode: GAMEMODE_LIST,
  baseUrl: `Such as: ${DEFAULT_BASE_URL}`,
  HTTP_PROXY: 'Such as: http://proxy.example.org:3128. Without a proxy, unset it.',
}

/** Describes a validation error of the SDK with the names of flags and variables. */
function validationReport({ issues }: ValidationError): ErrorReport {
  const described = issues.map(({ path, message }) => {
    const [, source = path, exit = EXIT.usage] = SOURCES.find(([pattern]) => pattern.test(path)) ?? []
    // A message that begins with the name of a variable says already what it is about.
    const isNamed = message.startsWith(path)
    if (path === 'gamemode') return { text: `${source}: ${NO_SUCH_GAMEMODE}`, exit }
    return { text: isNamed ? message : `${source}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`, exit }
  })
  if (issues.every(({ path }) => path === 'fernetKey')) {
    return errorReport('invalid_key', 'FISH_KEY is no Fernet key.', SET_KEY_ANEW, EXIT.credentials)
  }
  const onlyCredentials = described.every(({ exit }) => exit === EXIT.credentials)
  return errorReport(
    'usage',
    described.map(({ text }) => text).join(' '),
    onlyCredentials ? 'Correct it where it comes from: what was typed, or a FISH_… variable.' : hintOf(issues),
    onlyCredentials ? EXIT.credentials : EXIT.usage,
  )
}

function hintOf(issues: ValidationError['issues']): string | undefined {
  const [only] = issues
  return issues.length === 1 && only && Object.hasOwn(VALIDATION_HINTS, only.path)
    ? VALIDATION_HINTS[only.path]
    : undefined
}

/** What an answer refused with. */
interface RefusedResponse {
  readonly status: number
  readonly code: string
}

/** The exit status for a refusal. */
function exitStatusOf(refusal: RefusedResponse): ExitStatus {
  const { status, code } = refusal
  if (isForeign(refusal)) return EXIT.failure
  // The server cannot tell a wrong key from a broken token, and this program breaks none.
  if (status === 401 || status === 403 || code === 'invalid_token') return EXIT.credentials
  if (status === 429) return EXIT.rateLimited
  if (status === 400) return EXIT.usage
  if (status === 404) return EXIT.notFound
  if (status === 409) return EXIT.conflict
  if (status === 503) return EXIT.unreachable
  return EXIT.failure
}

/** Whether a refusal is not the service's: those have a code. What asks for credentials may be a proxy that needs some. */
function isForeign({ status, code }: RefusedResponse): boolean {
  return code === 'unknown' && ![401, 403, 429].includes(status) && status < 500
}

/** Where something else than the service answers. */
export const WRONG_ADDRESS = 'Is --url (or FISH_URL) the address of a Fish and Crab Collection Service?'

/** Where the service is there, and cannot do it now. */
export const TRY_LATER = 'Try again later; see: fish-cli status'

/** Where the key of a player is none, or another's. */
const SET_KEY_ANEW = 'Fetch it again: fish-cli login. If FISH_KEY or FISH_KEY_FILE is set, change it too.'

const LOG_IN_AGAIN = 'Log in again: fish-cli login NAME --admin'
const SHORTER = 'Give fewer or shorter names at once.'
const AGREE = 'Check --user and --gamemode, also in FISH_… variables.'

/** The next step after each refusal; for those of what was typed, the help of the command. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  // The server cannot tell a wrong key from a broken token, and this program breaks none.
  invalid_token: `The key may have been reset. ${SET_KEY_ANEW}`,
  token_expired: 'Set the clock of this machine right; see: fish-cli doctor',
  user_mismatch: AGREE,
  gamemode_mismatch: AGREE,
  invalid_credentials: 'Check the name and the password, also in FISH_… variables.',
  invalid_session: LOG_IN_AGAIN,
  not_found: WRONG_ADDRESS,
  method_not_allowed: WRONG_ADDRESS,
  user_not_found: 'Check the spelling; letter case does not matter.',
  admin_not_found: 'See who there is: fish-cli admin list',
  record_not_found: 'See what there is: fish-cli list --fields id,name,caughtAt',
  user_exists: 'Choose another name.',
  admin_exists: 'Choose another name.',
  last_superadmin: 'Create another one first: fish-cli admin create NAME --role superadmin',
  payload_too_large: SHORTER,
  headers_too_large: SHORTER,
  request_timeout: TRY_LATER,
  client_closed_request: TRY_LATER,
}

/** The next step after a refusal of the service, if it is known. */
function hintFor(status: number, code: string, needs: Role): string | undefined {
  if (code === 'forbidden') return roleHint(needs)
  const own = Object.hasOwn(HINTS, code) ? HINTS[code as ErrorCode] : undefined
  if (own !== undefined) return own
  if (status >= 500) return TRY_LATER
  if (status === 401 || status === 403) return HINTS.invalid_credentials
  // What has no code of the contract may come from anywhere.
  return code === 'unknown' ? WRONG_ADDRESS : undefined
}

function roleHint(needs: Role): string {
  if (needs === 'player') return 'Only an administrator may. Name one with --admin, or see who you are: fish-cli whoami'
  const whose = needs === 'superadmin' ? 'a superadmin' : 'an administrator'
  return `It needs the rights of ${whose}. Name one with --admin (FISH_ADMIN_USERNAME), or log in: fish-cli login NAME --admin`
}

/** The next step where the rate limit holds. */
function rateLimitHint(resetAt: Date, needs: Role): string {
  const wait = `Try again at ${localTime(resetAt)} (local time), or allow a longer --max-wait`
  if (needs === 'player') return `${wait}, or use an API key (FISH_API_KEY).`
  return `${wait}. An API key does not lift the limit of administrators.`
}

/** The error that the service would return, for a dry run. */
export function expectedRefusal(code: keyof typeof ERROR_CODES, needs: Role): CliError {
  const { status, message } = ERROR_CODES[code]
  const hint = hintFor(status, code, needs)
  return new CliError({ code, message, exit: exitStatusOf({ status, code }), ...(hint === undefined ? {} : { hint }) })
}
