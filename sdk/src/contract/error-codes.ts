import { GAMEMODES } from './gamemodes.ts'
import { LIMITS } from './limits.ts'
import { ROUTES } from './routes.ts'

const GAMEMODE_LIST = GAMEMODES.join(', ')

/**
 * Every `code` an error body can carry, with its HTTP status and the sentence that stands under `error`
 * where the server has nothing more exact to say.
 */
export const ERROR_CODES = {
  missing_name: { status: 400, message: 'Say whose collection is meant: add ?name=USER to the address.' },
  missing_gamemode: {
    status: 400,
    message: `Say which gamemode is meant: ${GAMEMODE_LIST}.`,
  },
  invalid_gamemode: {
    status: 400,
    message: `That gamemode does not exist. Use one of ${GAMEMODE_LIST}, in lower case.`,
  },
  invalid_token: {
    status: 400,
    message:
      "The body is not a Fernet token that this user's key can open. Check the key and send the token unchanged.",
  },
  token_expired: {
    status: 400,
    message: 'The token is too old or dated in the future. Set the clock right and encrypt the catch anew.',
  },
  invalid_payload: {
    status: 400,
    message: 'The content of the request is not of the expected form. See details.',
  },
  invalid_query: { status: 400, message: 'A query parameter is not of the expected form. See details.' },
  user_mismatch: { status: 400, message: 'The request names two different users. Let them agree.' },
  gamemode_mismatch: { status: 400, message: 'The request says two different gamemodes. Let them agree.' },
  invalid_credentials: { status: 401, message: 'The name or the password is wrong.' },
  invalid_session: {
    status: 401,
    message: `The session token is missing, wrong or expired. Log in again at ${ROUTES.adminLogin.path}.`,
  },
  forbidden: { status: 403, message: 'These credentials do not allow that.' },
  not_found: {
    status: 404,
    message: `There is nothing at this address. See ${ROUTES.openapi.path} for what there is.`,
  },
  user_not_found: { status: 404, message: 'No user has that name.' },
  admin_not_found: { status: 404, message: 'No administrator has that name.' },
  record_not_found: { status: 404, message: 'That collection holds no record with this id.' },
  method_not_allowed: { status: 405, message: 'This address does not take that method. See the Allow header.' },
  user_exists: { status: 409, message: 'A user of that name exists already. Names differ in more than letter case.' },
  admin_exists: { status: 409, message: 'An administrator of that name exists already.' },
  last_superadmin: { status: 409, message: 'The last superadmin cannot be deleted. Create another one first.' },
  payload_too_large: {
    status: 413,
    message: `The request body is larger than ${LIMITS.bodyBytes / 1024} KiB. Send fewer entries at once.`,
  },
  unsupported_media_type: {
    status: 415,
    message: 'The body is of a type or encoding that this address does not take.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Please try again later, and contact the site owner if you need more.',
  },
  malformed_request: { status: 400, message: 'This is no HTTP request that the server can read.' },
  expectation_failed: {
    status: 417,
    message: 'The only expectation that this server meets is 100-continue. Send the request without its Expect header.',
  },
  request_timeout: { status: 408, message: 'The request took too long to arrive. Send it again.' },
  headers_too_large: { status: 431, message: 'The headers of the request are too large.' },
  client_closed_request: { status: 499, message: 'The client went away before it was answered.' },
  internal_error: { status: 500, message: 'The server failed on this request. Try again later.' },
  storage_error: { status: 500, message: 'The storage failed on this request. Send it again later.' },
  unavailable: { status: 503, message: 'The storage is out of reach. Try again later.' },
} as const satisfies Record<string, { status: number; message: string }>

/** A stable name of what went wrong; the `code` of an error body. */
export type ErrorCode = keyof typeof ERROR_CODES

/**
 * Whether a value is one of the documented error codes.
 *
 * @example
 * if (isErrorCode(text)) showStatus(ERROR_CODES[text].message)
 */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_CODES, value)
}
