import { type Access, HEADERS, REQUEST_ID_PATTERN, type RouteName, type User } from '@fish-crab/sdk/contract'
import type { DecryptedToken } from '@fish-crab/sdk/fernet'
import type { BodyReader, RequestHost } from '../core/host.ts'
import { clientKeys } from './client-address.ts'
import { targetError } from './path.ts'

/** The methods of requests that some route supports. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The stored, encrypted Fernet key of a user. */
export interface StoredKey {
  /** The user's id. */
  readonly owner: string
  readonly encrypted: string | null
}

/** The body of a write. */
export interface DecryptedBody {
  readonly text: string
  /** Absent for an invalid token or a token that was encrypted with another key. */
  readonly token: DecryptedToken | undefined
}

/** The route that a request matches. */
export interface MatchedRoute {
  /** The pattern of the path, such as `/admin/users/:name`; `undefined` for an unknown path. */
  readonly path: string | undefined
  /** `undefined` if the path has no route of this method. */
  readonly route: RouteName | undefined
  readonly access: Access
  /** Percent-decoded. */
  readonly params: Readonly<Record<string, string>>
}

export interface RequestContext extends MatchedRoute {
  readonly request: Request
  /** @default reads the stream of the request */
  readonly readBody: BodyReader | undefined
  /** Whether the client closed the request. */
  readonly isClosed: () => boolean
  readonly query: URLSearchParams
  /** The reason to refuse the request target; see {@link targetError}. */
  readonly targetError: string | undefined
  readonly requestId: string
  /** Unix time in milliseconds. */
  readonly receivedAt: number
  /** Address of the client; empty if the host does not provide it. */
  readonly address: string
  /** Key of the client in the rate limit. */
  readonly client: string
  /** Key of the site of the client, for resources that all clients share; see `siteKey`. */
  readonly site: string
  /** The owner of the valid API key in the request: the id of a user, or a text that stands for the master key. */
  keyOwner?: string
  /** User whose API key came with the request. */
  apiKeyUser?: User
  /** Lookup of the user in the parameter `name`. The lookup runs while the rate limit counts the request. */
  namedUser?: Promise<User | undefined>
  /**
   * Lookup of the stored key of the user who last wrote under this name. Only requests that store catches start this
   * lookup, which runs concurrently with `namedUser`.
   */
  namedKey?: Promise<StoredKey | undefined>
  /** The body of a write, which is read and decrypted on first use. */
  body?: Promise<DecryptedBody>
  /**
   * The player and the gamemode of the request, for the log line of an error. Both are set only after the app has found
   * that they exist.
   */
  player?: string | undefined
  gamemode?: string | undefined
  /** Headers to add to any response. Names are in lower case. */
  readonly responseHeaders: Record<string, string>
}

interface RequestContextOptions {
  readonly match: MatchedRoute
  readonly now: number
  readonly address: string
  readonly host: RequestHost | undefined
  readonly createId: () => string
}

export function createRequestContext(
  request: Request,
  { match, now, address, host = {}, createId }: RequestContextOptions,
): RequestContext {
  const queryText = queryOf(request.url)
  const isQuery = isBounded(queryText)
  const requestId = requestIdOf(request.headers.get(HEADERS.requestId), createId)
  const { path, route, access, params } = match
  const { client, site } = clientKeys(address)
  const { target, readBody, isClosed } = host
  // Each property is listed, because spread syntax takes longer than all other work of this function.
  return {
    path,
    route,
    access,
    params,
    request,
    readBody: typeof readBody === 'function' ? (readBody as BodyReader) : undefined,
    isClosed: typeof isClosed === 'function' ? (isClosed as () => boolean) : () => request.signal.aborted,
    query: queryText !== '' && isQuery ? new URLSearchParams(queryText) : NO_QUERY,
    targetError: (typeof target === 'string' ? targetError(target) : undefined) ?? (isQuery ? undefined : TOO_MANY),
    requestId,
    receivedAt: now,
    address,
    client,
    site,
    responseHeaders: { [HEADERS.requestId]: requestId },
  }
}

/** Returns the id of a request: the id that the client sent if this id is valid, otherwise a new id. */
export function requestIdOf(sent: unknown, createId: () => string = () => crypto.randomUUID()): string {
  return typeof sent === 'string' && REQUEST_ID_PATTERN.test(sent) ? sent : createId()
}

const NO_QUERY = new URLSearchParams()

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1).replace(/#.*/s, '')
}

const MAX_PARAMETERS = 100
const TOO_MANY = `The query has more than ${MAX_PARAMETERS} parameters.`

/**
 * The number of parameters is limited, because decoding a malformed parameter takes microseconds, and a request head
 * has room for thousands of parameters.
 */
function isBounded(query: string): boolean {
  return query.split('&', MAX_PARAMETERS + 1).length <= MAX_PARAMETERS
}
