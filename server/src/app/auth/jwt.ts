import { errors, jwtVerify, SignJWT } from 'jose'

const ALGORITHM = 'HS256'
const ISSUER = 'fish-crab'
const AUDIENCE = 'fish-crab-admin'

/** Maximum difference between the clocks of several processes. */
const MAX_CLOCK_SKEW_SECONDS = 300

interface SessionClaims {
  readonly username: string
  /** Id of the administrator, so that a later administrator with the same name cannot use the session. */
  readonly id: unknown
  /** Id of this session. The id lets a logout end this session without ending other sessions. */
  readonly sessionId: string
}

interface VerifiedClaims extends SessionClaims {
  /** Unix time in seconds. */
  readonly expiresAt: number
}

/** Creates the JWT of a session. All times are Unix times in seconds (RFC 7519). */
export function signSession(
  { username, id, sessionId }: SessionClaims,
  { issuedAt, expiresAt }: { readonly issuedAt: number; readonly expiresAt: number },
  key: Uint8Array,
): Promise<string> {
  return new SignJWT({ id })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setSubject(username)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setJti(sessionId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(key)
}

/** Also checks `iat`. Otherwise, a session from a process with a fast clock would stay valid for more than an hour. */
export async function verifySession(token: string, now: Date, key: Uint8Array): Promise<VerifiedClaims> {
  const { payload } = await jwtVerify(token, key, {
    algorithms: [ALGORITHM],
    issuer: ISSUER,
    audience: AUDIENCE,
    requiredClaims: ['sub', 'iat', 'exp', 'jti', 'id'],
    currentDate: now,
  })
  if (Number(payload.iat) - now.getTime() / 1000 > MAX_CLOCK_SKEW_SECONDS) {
    throw new errors.JWTClaimValidationFailed('issued in the future', payload, 'iat', 'check_failed')
  }
  return {
    username: String(payload.sub),
    id: payload.id,
    sessionId: String(payload.jti),
    expiresAt: Number(payload.exp),
  }
}
