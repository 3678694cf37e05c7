import { jwtVerify, SignJWT } from 'jose'

const ALGORITHM = 'HS256'
const ISSUER = 'fish-crab'
const AUDIENCE = 'fish-crab-admin'

/** What a session's token says. Moments are in unix seconds. */
interface SessionClaims {
  readonly username: string
  /** The id of the administrator: another one of that name does not take over the session. */
  readonly id: unknown
}

/** Signs the token of a session (RFC 7519). */
export function signSession(
  { username, id }: SessionClaims,
  { issuedAt, expiresAt }: { readonly issuedAt: number; readonly expiresAt: number },
  key: Uint8Array,
): Promise<string> {
  return new SignJWT({ id })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setSubject(username)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(key)
}

/** Reads the token of a session. Rejects unless it was signed with this key, for this service, and holds now. */
export async function verifySession(token: string, now: Date, key: Uint8Array): Promise<SessionClaims> {
  const { payload } = await jwtVerify(token, key, {
    algorithms: [ALGORITHM],
    issuer: ISSUER,
    audience: AUDIENCE,
    requiredClaims: ['sub', 'exp', 'id'],
    currentDate: now,
  })
  return { username: String(payload.sub), id: payload.id }
}
