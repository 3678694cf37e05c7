import { ACCOUNT_LIMITS, type Session } from '@fish-crab/sdk/contract'
import { lazy } from '../core/cache.ts'
import { HttpError } from '../http/http-error.ts'
import type { Admin, Admins } from './admins.ts'

export type Sessions = ReturnType<typeof createSessions>

const CHALLENGE = { 'www-authenticate': 'Bearer' }

interface SessionsOptions {
  readonly secret: string
  readonly admins: Admins
  readonly createId: () => string
  readonly clock: () => number
}

/**
 * Creates the sessions of administrators. A session ends when it expires or is logged out, and when its administrator
 * is removed or gets a new id.
 */
export function createSessions({ secret, admins, createId, clock }: SessionsOptions) {
  const key = new TextEncoder().encode(secret)
  const loadJwt = lazy(() => import('./jwt.ts'))

  /** Throws `invalid_session`. */
  async function verify(request: Request) {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization')?.trim() ?? '')?.[1]
    if (!token) throw new HttpError('invalid_session', { headers: CHALLENGE })
    const { verifySession } = await loadJwt()
    const claims = await verifySession(token, new Date(clock()), key).catch((cause: unknown) => {
      throw new HttpError('invalid_session', { headers: CHALLENGE, cause })
    })
    const admin = await admins.find(claims.username)
    if (admin && admin.id === claims.id && !admin.endedSessions?.some(({ id }) => id === claims.sessionId)) {
      return { admin, claims }
    }
    throw new HttpError('invalid_session', { headers: CHALLENGE })
  }

  return {
    /**
     * Loads the JWT code in advance. By default, this code is loaded for the first session, so that mocks in a page,
     * which rarely need sessions, do not load it.
     */
    load: loadJwt,

    async open(admin: Admin): Promise<Session> {
      const issuedAt = Math.floor(clock() / 1000)
      const expiresAt = issuedAt + ACCOUNT_LIMITS.sessionSeconds
      const { signSession } = await loadJwt()
      const token = await signSession({ ...admin, sessionId: createId() }, { issuedAt, expiresAt }, key)
      return { token, expiresAt: new Date(expiresAt * 1000).toISOString() }
    },

    /** Returns the administrator of the session in `Authorization: Bearer`. Throws `invalid_session`. */
    require: async (request: Request): Promise<Admin> => (await verify(request)).admin,

    /** Ends the session of a request in every process. Throws `invalid_session`. */
    async end(request: Request): Promise<void> {
      const { admin, claims } = await verify(request)
      await admins.endSession(admin, claims.sessionId)
    },
  }
}
