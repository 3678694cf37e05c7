import { LIMITS, type Session } from '@fish-crab/sdk/contract'
import { lazy } from '../core/cache.ts'
import { HttpError } from '../http/http-error.ts'
import type { StoreId } from '../store/store-id.ts'
import type { Admin, Admins } from './admins.ts'

/** The sessions of administrators: JWTs that name them. */
export interface Sessions {
  /** Loads what is else loaded with the first session: pages that mock the service hardly ever open one. */
  load(): Promise<unknown>
  open(admin: Admin): Promise<Session>
  /** The administrator of `Authorization: Bearer`, or an `invalid_session` failure. */
  require(request: Request): Promise<Admin>
}

const CHALLENGE = { 'www-authenticate': 'Bearer' }

/** What {@link createSessions} builds on. */
export interface SessionsOptions {
  /** Signs the sessions. */
  readonly secret: string
  readonly admins: Admins
  readonly storeId: StoreId
  readonly clock: () => number
}

/** Makes the sessions. A session ends with its time, and with the administrator it was opened for. */
export function createSessions({ secret, admins, storeId, clock }: SessionsOptions): Sessions {
  const key = new TextEncoder().encode(secret)
  const loadTokens = lazy(() => import('./jwt.ts'))

  return {
    load: loadTokens,

    async open(admin) {
      const issuedAt = Math.floor(clock() / 1000)
      const expiresAt = issuedAt + LIMITS.sessionSeconds
      const { signSession } = await loadTokens()
      const token = await signSession(admin, { issuedAt, expiresAt }, key)
      return { token, expiresAt: new Date(expiresAt * 1000).toISOString() }
    },

    async require(request) {
      const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization')?.trim() ?? '')?.[1]
      if (!token) throw new HttpError('invalid_session', { headers: CHALLENGE })
      const { verifySession } = await loadTokens()
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
