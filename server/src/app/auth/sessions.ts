import { ACCOUNT_LIMITS, type Session } from '@fish-crab/sdk/contract'
import { lazy } from '../core/cache.ts'
import { HttpError } from '../http/http-error.ts'
import type { StoreId } from '../store/store-id.ts'
import type { Admin, Admins } from './admins.ts'

export type Sessions = ReturnType<typeof createSessions>

const CHALLENGE = { 'www-authenticate': 'Bearer' }

interface SessionsOptions {
  readonly secret: string
  readonly admins: Admins
  readonly storeId: StoreId
  readonly clock: () => number
}

/** Creates the sessions. A session ends when it expires, or when its administrator is removed or gets a new id. */
export function createSessions({ secret, admins, storeId, clock }: SessionsOptions) {
  const key = new TextEncoder().encode(secret)
  const loadJwt = lazy(() => import('./jwt.ts'))

  return {
    /** Loads the JWT code, which the first session loads otherwise: mocks in a page rarely need it. */
    load: loadJwt,

    async open(admin: Admin): Promise<Session> {
      const issuedAt = Math.floor(clock() / 1000)
      const expiresAt = issuedAt + ACCOUNT_LIMITS.sessionSeconds
      const { signSession } = await loadJwt()
      const token = await signSession(admin, { issuedAt, expiresAt }, key)
      return { token, expiresAt: new Date(expiresAt * 1000).toISOString() }
    },

    /** The administrator of `Authorization: Bearer`. Throws `invalid_session`. */
    async require(request: Request): Promise<Admin> {
      const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization')?.trim() ?? '')?.[1]
      if (!token) throw new HttpError('invalid_session', { headers: CHALLENGE })
      const { verifySession } = await loadJwt()
      const { username, id } = await verifySession(token, new Date(clock()), key).catch((cause: unknown) => {
        throw new HttpError('invalid_session', { headers: CHALLENGE, cause })
      })
      const admin = await admins.find(username)
      if (admin && admin.id === id) return admin
      await storeId.verify()
      throw new HttpError('invalid_session', { headers: CHALLENGE })
    },
  }
}
