import type { ResponseMeta, WithResponse } from '../client/call.ts'
import type { Session } from '../contract/schemas/admin.ts'
import { blockedUntil, type HeldSession, holdSession, isDue } from './session-policy.ts'
import { singleFlight } from './single-flight.ts'

/** What a login answers. */
export type Login = WithResponse<Session & ResponseMeta>

/** Keeps one session open. */
export interface SessionKeeper {
  /** The token to send: of the session that is open, or of one that is opened now. */
  token(signal: AbortSignal | undefined): Promise<string>
  /** The token to send instead of one that the server took for over; `undefined` when no other can be had. */
  replace(token: string, signal: AbortSignal | undefined): Promise<string | undefined>
  /** Opens a session, whether or not one is open. */
  login(signal: AbortSignal | undefined): Promise<Login>
}

/** What {@link createSessionKeeper} builds on. */
export interface SessionContext {
  /** Sends the credentials. */
  readonly logIn: (signal: AbortSignal) => Promise<Login>
  /** Whether there are credentials to send. */
  readonly canLogIn: boolean
  /** A token from elsewhere, to begin with. */
  readonly given: string | undefined
  readonly now: () => number
}

/** Makes a keeper. However many ask at once, one login is sent. */
export function createSessionKeeper({ logIn, canLogIn, given, now }: SessionContext): SessionKeeper {
  let held: HeldSession | undefined = given === undefined ? undefined : { token: given, renewAt: undefined }
  let refused: { readonly error: unknown; readonly until: number } | undefined

  const login = singleFlight(async (signal) => {
    const sentAt = now()
    try {
      const answer = await logIn(signal)
      held = holdSession(answer.data, answer.response.headers.get('date'), sentAt)
      refused = undefined
      return answer
    } catch (error) {
      const until = blockedUntil(error, now())
      if (until !== undefined) refused = { error, until }
      throw error
    }
  })

  async function open(signal: AbortSignal | undefined): Promise<string> {
    signal?.throwIfAborted()
    if (refused && now() < refused.until) throw refused.error
    return (await login(signal)).data.token
  }

  return {
    login,
    async token(signal) {
      return held && !(canLogIn && isDue(held, now())) ? held.token : open(signal)
    },
    async replace(token, signal) {
      // Somebody else may have replaced it while this call's answer was on its way.
      if (held && held.token !== token) return held.token
      return canLogIn ? open(signal) : undefined
    },
  }
}
