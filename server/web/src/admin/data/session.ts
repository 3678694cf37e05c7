import { AuthenticationError } from '@fish-crab/sdk'
import type { AdminClient, Administrator } from '@fish-crab/sdk/admin'

/** A name and a password, as typed. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/**
 * `expired`: the server no longer knows the session. The page stays as it is, and requests wait until the same
 * administrator has signed in again.
 */
export type SessionState =
  | { readonly step: 'signed-out' }
  | { readonly step: 'signed-in' | 'expired'; readonly admin: Administrator }

/** The request was not sent: the administrator has signed out. */
export class SignedOutError extends Error {}

export type AdminSession = ReturnType<typeof createAdminSession>

/** Creates a client with a password, which opens a session, or with the token of a session. */
export type OpenClient = (by: Credentials | { readonly token: string }) => AdminClient

/**
 * Creates the session of the page. The token is in memory only, so a reload ends the session: a token in the storage of
 * the browser would be a stored secret. The password is not kept.
 */
export function createAdminSession(openClient: OpenClient) {
  let state: SessionState = { step: 'signed-out' }
  let client: AdminClient | undefined
  const listeners = new Set<(state: SessionState) => void>()
  const waiting = new Set<() => void>()

  function change(next: SessionState): void {
    state = next
    for (const listener of listeners) listener(state)
    if (state.step === 'expired') return
    for (const resume of waiting) resume()
    waiting.clear()
  }

  async function currentClient(): Promise<AdminClient> {
    if (state.step === 'expired') await new Promise<void>((resolve) => waiting.add(resolve))
    if (client === undefined) throw new SignedOutError()
    return client
  }

  async function request<Result>(make: (client: AdminClient) => Promise<Result>): Promise<Result> {
    const used = await currentClient()
    try {
      return await make(used)
    } catch (error) {
      if (!(error instanceof AuthenticationError) || error.code !== 'invalid_session') throw error
      if (used === client && state.step === 'signed-in') change({ step: 'expired', admin: state.admin })
      return request(make)
    }
  }

  return {
    state: () => state,

    /** Calls back after each change. @returns a function that ends the calls */
    subscribe(listener: (state: SessionState) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    /** Opens a session. @throws as `AdminClient.login` */
    async signIn(credentials: Credentials): Promise<void> {
      const { token } = await openClient(credentials).login()
      const opened = openClient({ token })
      const { username, role, createdAt } = await opened.me()
      client = opened
      change({ step: 'signed-in', admin: { username, role, createdAt } })
    },

    /** Ends the session here at once, and at the service if it responds. */
    async signOut(): Promise<void> {
      const opened = client
      client = undefined
      change({ step: 'signed-out' })
      // Otherwise, the session expires within an hour.
      await opened?.logout().catch(() => {})
    },

    /**
     * Makes a request. If the session has expired, the request is repeated after the next sign-in: the server rejected
     * the first one.
     *
     * @throws SignedOutError; as the request
     */
    request,

    /** Makes one request with the password, for requests that do not accept a session. @throws as the request */
    requestWith<Result>(password: string, make: (client: AdminClient) => Promise<Result>): Promise<Result> {
      if (state.step === 'signed-out') throw new SignedOutError()
      return make(openClient({ username: state.admin.username, password }))
    },
  }
}
