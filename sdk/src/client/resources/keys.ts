import { PUBLIC_ROUTES } from '../../contract/routes.ts'
import type { UserKey } from '../../contract/schemas.ts'
import type { Issue } from '../../errors/fish-crab-error.ts'
import { CALL_OPTIONS, type CallOptions } from '../core/options.ts'
import { userKeyShape } from '../shapes/on-demand.generated.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/response.ts'

/** Options of `keys.get`. */
interface GetKeyOptions extends CallOptions {
  /** The player whose key is read. Required if `username` is an administrator. @default `username` */
  readonly name?: string | undefined
  /** Name of the player or administrator, without `:` (HTTP Basic). */
  readonly username: string
  /** Password of `username`. */
  readonly password: string
}

/** Fernet keys. */
export interface KeysResource {
  /**
   * Reads the Fernet key of a user. Authenticates by HTTP Basic (RFC 7617, UTF-8). The server logs every access.
   *
   * @throws AuthenticationError for a wrong name or password; PermissionDeniedError for the key of another user;
   *   ApiError, ConnectionError; ValidationError before anything is sent.
   * @example
   * const { fernetKey } = await client.keys.get({ username: 'Alex', password })
   */
  get(options: GetKeyOptions): ApiPromise<UserKey & ResponseMeta>
}

export function getKey(transport: Transport, options: GetKeyOptions): ApiPromise<UserKey & ResponseMeta> {
  return call(transport, {
    options,
    known: { name: 1, username: 1, password: 1, ...CALL_OPTIONS },
    shape: userKeyShape,
    prepare: () => {
      const { name, username, password } = options
      const issues: Issue[] = []
      const headers = { authorization: basicCredentials(username, password, issues) }
      return { route: PUBLIC_ROUTES.getUserKey, query: { name }, headers, issues }
    },
  })
}

/** Returns the `Authorization` header, and adds invalid values to `issues`. */
export function basicCredentials(username: string, password: string, issues: Issue[]): string {
  if (typeof username !== 'string' || !/^[^:\p{Cc}]+$/u.test(username)) {
    issues.push({ path: 'username', message: 'Must be a name without colons and control characters.' })
  }
  if (typeof password !== 'string' || !/^\P{Cc}+$/u.test(password)) {
    issues.push({ path: 'password', message: 'Must be a password without control characters.' })
  }
  // btoa takes one character per byte.
  const bytes = Array.from(new TextEncoder().encode(`${username}:${password}`), (byte) => String.fromCharCode(byte))
  return `Basic ${btoa(bytes.join(''))}`
}
