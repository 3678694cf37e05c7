import { LIMITS } from './limits.ts'
import { LOGIN_PATH, OPENAPI_PATH, STATUS_PATH } from './routes.ts'

const SEE_STATUS = `${STATUS_PATH} lists the gamemodes of this service if they are not the default ones.`

/** Every `code` of an error body, with its HTTP status and the default text of its `error` field. */
export const ERROR_CODES = {
  missing_name: { status: 400, message: 'Missing user name. Add ?name=USER to the URL.' },
  missing_gamemode: { status: 400, message: `Missing gamemode. ${SEE_STATUS}` },
  invalid_gamemode: { status: 400, message: `Unknown gamemode. ${SEE_STATUS}` },
  invalid_token: {
    status: 400,
    message:
      "The body is not a Fernet token that this user's key can decrypt. Check the key and send the token unchanged.",
  },
  token_expired: {
    status: 400,
    message: 'The token is too old or dated in the future. Correct the clock and encrypt the catch again.',
  },
  invalid_payload: { status: 400, message: 'Invalid request content. See details.' },
  invalid_query: { status: 400, message: 'Invalid query parameter. See details.' },
  invalid_event_id: {
    status: 400,
    message:
      'Last-Event-ID is not the id of an event of this stream, or the data was restored or imported since. Connect without Last-Event-ID, and read the collection to get the missed catches.',
  },
  user_mismatch: { status: 400, message: 'The request names two different users. Name only one user.' },
  gamemode_mismatch: { status: 400, message: 'The request names two different gamemodes. Name only one gamemode.' },
  invalid_credentials: { status: 401, message: 'The name or the password is wrong.' },
  invalid_session: {
    status: 401,
    message: `The session token is missing, wrong or expired. Log in again at ${LOGIN_PATH}.`,
  },
  forbidden: { status: 403, message: 'These credentials do not permit this request.' },
  user_suspended: {
    status: 403,
    message: 'This player is suspended and cannot log in or add catches. Ask an administrator of the service.',
  },
  not_found: { status: 404, message: `Nothing exists at this address. See ${OPENAPI_PATH} for the API.` },
  user_not_found: { status: 404, message: 'No user has that name.' },
  admin_not_found: { status: 404, message: 'No administrator has that name.' },
  invitation_not_found: { status: 404, message: 'No invitation has this id.' },
  link_not_found: {
    status: 404,
    message: 'This link is used, expired or unknown. Ask an administrator of the service for a new link.',
  },
  record_not_found: { status: 404, message: 'The collection has no record with this id.' },
  entry_not_found: { status: 404, message: 'The record has no entry with this index, or the entry was removed.' },
  method_not_allowed: { status: 405, message: 'This address does not support that method. See the Allow header.' },
  user_exists: { status: 409, message: 'A user with this name exists already. Letter case makes no difference.' },
  public_url_missing: {
    status: 409,
    message: 'The service does not know its public address. Set FISH_PUBLIC_URL and restart the service.',
  },
  admin_exists: { status: 409, message: 'An administrator with this name exists already.' },
  too_many_invitations: {
    status: 409,
    message: 'The service has 100 open invitations. End an invitation first.',
  },
  too_many_renames: {
    status: 409,
    message: 'You have changed your name five times within 90 days. Ask an administrator of the service.',
  },
  too_many_species: {
    status: 409,
    message: 'The collection has more than 10000 species, too many for a summary. Read the collection in pages.',
  },
  last_superadmin: { status: 409, message: 'The last superadmin cannot be deleted. Create another superadmin first.' },
  payload_too_large: {
    status: 413,
    message: `The request body is larger than ${LIMITS.bodyBytes / 1024} KiB. Send fewer entries at once.`,
  },
  unsupported_media_type: { status: 415, message: 'Unsupported content type or encoding of the body.' },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Please try again later, and contact the site owner if you need more.',
  },
  malformed_request: { status: 400, message: 'Malformed HTTP request.' },
  expectation_failed: {
    status: 417,
    message: 'The only supported expectation is 100-continue. Send the request without its Expect header.',
  },
  request_timeout: { status: 408, message: 'The request took too long to arrive. Send the request again.' },
  headers_too_large: { status: 431, message: 'The request headers are too large.' },
  client_closed_request: { status: 499, message: 'The client closed the connection before the response.' },
  internal_error: { status: 500, message: 'The server failed to handle this request. Try again later.' },
  storage_error: { status: 500, message: 'The storage failed on this request. Send the request again later.' },
  storage_full: {
    status: 503,
    message: 'The storage is full. Nothing was stored. Send the request again later.',
  },
  too_many_streams: {
    status: 503,
    message: 'Too many event streams are open. Close one, or try again later.',
  },
  unavailable: { status: 503, message: 'The storage is unreachable. Try again later.' },
} as const satisfies Record<string, { status: number; message: string }>

/** The `code` of an error body: a stable name of the problem. */
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
