import type { ErrorCode } from '@fish-crab/sdk'
import type { Rights } from '../core/rights.ts'
import { localTime } from '../core/time.ts'

/** Where something else than the service answers. */
export const WRONG_ADDRESS = 'Is --url (or FISH_URL) the address of a Fish and Crab Collection Service?'

/** Where the service is there, and cannot do it now. */
export const TRY_LATER = 'Try again later; see: fish-cli status'

/** Where the key of a player is none, or another's. */
export const SET_KEY_ANEW = 'Fetch it again: fish-cli login. If FISH_KEY or FISH_KEY_FILE is set, change it too.'

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
export function refusalHint(status: number, code: string, needs: Rights): string | undefined {
  if (code === 'forbidden') return rightsHint(needs)
  const own = Object.hasOwn(HINTS, code) ? HINTS[code as ErrorCode] : undefined
  if (own !== undefined) return own
  if (status >= 500) return TRY_LATER
  if (status === 401 || status === 403) return HINTS.invalid_credentials
  // What has no code of the contract may come from anywhere.
  return code === 'unknown' ? WRONG_ADDRESS : undefined
}

function rightsHint(needs: Rights): string {
  if (needs === 'player') return 'Only an administrator may. Name one with --admin, or see who you are: fish-cli whoami'
  const whose = needs === 'superadmin' ? 'a superadmin' : 'an administrator'
  return `It needs the rights of ${whose}. Name one with --admin (FISH_ADMIN_USERNAME), or log in: fish-cli login NAME --admin`
}

/** The next step where the rate limit holds. */
export function limitHint(resetAt: Date, needs: Rights): string {
  const wait = `Try again at ${localTime(resetAt)} (local time), or allow a longer --max-wait`
  if (needs === 'player') return `${wait}, or use an API key (FISH_API_KEY).`
  return `${wait}. An API key does not lift the limit of administrators.`
}
