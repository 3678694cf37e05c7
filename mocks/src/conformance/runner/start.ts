import { HEADERS, ROUTES } from '@fish-crab/sdk/contract'
import { login, sendAs } from '../context/accounts.ts'
import type { Session } from '../context/context.ts'
import { NoResponse, type ReceivedResponse } from '../context/expect.ts'
import type { Send } from '../context/send.ts'
import type { ConformanceAdministrator } from './options.ts'

/** The reason why a run could not start. */
export type ConformanceStartCode = 'unreachable' | 'invalid_credentials' | 'rate_limited' | 'unexpected_response'

const MESSAGES: Readonly<Record<ConformanceStartCode, string>> = {
  unreachable: 'The service does not respond.',
  invalid_credentials: 'The administrator cannot log in: the name or the password is wrong.',
  rate_limited: 'Too many failed logins from this client. Wait until the window of the rate limit ends.',
  unexpected_response: 'The response to the login does not match the contract, so nothing else can be checked.',
}

/** The run could not start. Nothing was checked or created. */
export class ConformanceStartError extends Error {
  override readonly name = 'ConformanceStartError'
  /** The reason why the run could not start. */
  readonly code: ConformanceStartCode
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined
  /** The time to wait before the next attempt, in milliseconds, if the response specified a time. */
  readonly retryAfterMs: number | undefined

  constructor(code: ConformanceStartCode, status?: number, retryAfterMs?: number) {
    super(status === undefined ? MESSAGES[code] : `${MESSAGES[code]} (status ${status})`)
    this.code = code
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** Logs in and gets the role. @throws ConformanceStartError when the login fails, since nothing else can be checked */
export async function logIn(send: Send, { username, password }: ConformanceAdministrator): Promise<Session> {
  const token = fieldOf(await expectReachable(() => login(send, { username, password })), 'token')
  const role = fieldOf(await expectReachable(() => sendAs(send, token, 'adminMe')), 'role')
  if (role === 'admin' || role === 'superadmin') return { username, token, role }
  throw new ConformanceStartError('unexpected_response')
}

/** @throws ConformanceStartError when the service does not respond */
export async function checkReachable(send: Send): Promise<void> {
  await expectReachable(() => send(ROUTES.livez.path))
}

async function expectReachable(request: () => Promise<ReceivedResponse>): Promise<ReceivedResponse> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof NoResponse) throw new ConformanceStartError('unreachable')
    throw error
  }
}

function fieldOf({ status, text, headers }: ReceivedResponse, name: string): string {
  if (status === 401 || status === 403) throw new ConformanceStartError('invalid_credentials', status)
  if (status === 429) throw new ConformanceStartError('rate_limited', status, retryAfterMs(headers))
  if (status !== 200) throw new ConformanceStartError('unexpected_response', status)
  try {
    const value = (JSON.parse(text) as Record<string, unknown>)[name]
    if (typeof value === 'string') return value
  } catch {
    // Invalid JSON is reported below as an unexpected response.
  }
  throw new ConformanceStartError('unexpected_response', status)
}

/**
 * Returns the milliseconds to wait. A reset time is compared with the `Date` of the response, since the local clock may
 * be wrong.
 */
function retryAfterMs(headers: Headers): number | undefined {
  const seconds = headers.get(HEADERS.retryAfter) ?? ''
  if (/^\d{1,9}$/.test(seconds)) return Number(seconds) * 1000
  const reset = headers.get(HEADERS.rateReset) ?? ''
  const waitMs = Number(/^\d{1,12}$/.test(reset) ? reset : Number.NaN) * 1000 - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}
