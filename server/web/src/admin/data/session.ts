import { AuthenticationError } from '@fish-crab/sdk'
import type { AdminClient, Administrator } from '@fish-crab/sdk/admin'

/** A name and a password, as typed. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/**
 * In the step `expired`, the server no longer accepts the session. The page keeps its state, and requests wait until
 * the same administrator signs in again.
 */
export type SessionState =
  | { readonly step: 'signed-out' }
  | { readonly step: 'signed-in' | 'expired'; readonly admin: Administrator }

/** The error of a request that was not sent because the administrator has signed out. */
export class SignedOutError extends Error {}

export type AdminSession = ReturnType<typeof createAdminSession>

/** Creates a client from credentials, which can open a session, or from the token of an open session. */
export type OpenClient = (by: Credentials | { readonly token: string }) => AdminClient

/**
 * Creates the session of the page. The token stays in memory, because a token in the browser's storage would be a
 * stored secret. A reload therefore ends the session. The password is not kept in memory.
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

    /** Calls the listener after each change of the state. @returns a function that removes the listener */
    subscribe(listener: (state: SessionState) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    /** Opens a session. @throws the errors of `AdminClient.login` and `AdminClient.me` */
    async signIn(credentials: Credentials): Promise<void> {
      const { token } = await openClient(credentials).login()
      const opened = openClient({ token })
      const { username, role, createdAt } = await opened.me()
      client = opened
      change({ step: 'signed-in', admin: { username, role, createdAt } })
    },

    /**
     * Ends the session immediately in the page, and at the service if the service responds.
     * @param requests requests to finish before the service ends the session
     */
    async signOut(requests?: Promise<void>): Promise<void> {
      const opened = client
      client = undefined
      change({ step: 'signed-out' })
      await requests
      // If the logout fails, the session still expires within an hour.
      await opened?.logout().catch(() => {})
    },

    /**
     * Makes a request. If the session has expired, the request is repeated after the next sign-in, which is safe
     * because the server rejected the first attempt.
     *
     * @throws SignedOutError if the administrator has signed out; otherwise the errors of the request
     */
    request,

    /** Makes one request with the password, for endpoints that do not accept a session. @throws the request's errors */
    requestWith<Result>(password: string, make: (client: AdminClient) => Promise<Result>): Promise<Result> {
      if (state.step === 'signed-out') throw new SignedOutError()
      return make(openClient({ username: state.admin.username, password }))
    },
  }
}
