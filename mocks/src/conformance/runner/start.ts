import { type AdminRole, HEADERS, ROUTES } from '@fish-crab/sdk/contract'
import type { Answer } from '../context/answer.ts'
import { NoAnswer } from '../context/expectation.ts'
import { login, sendAs } from '../context/own-accounts.ts'
import type { Send } from '../context/transport.ts'
import type { ConformanceAdministrator } from './options.ts'
import { ConformanceStartError } from './start-error.ts'

/** The session of the given administrator. */
export interface GivenSession {
  readonly username: string
  readonly token: string
  readonly role: AdminRole
}

/** Logs in and asks who that is. @throws ConformanceStartError when that fails: then nothing else can be seen */
export async function openGivenSession(
  send: Send,
  { username, password }: ConformanceAdministrator,
): Promise<GivenSession> {
  const token = fieldOf(await answered(() => login(send, { username, password })), 'token')
  const role = fieldOf(await answered(() => sendAs(send, token, 'adminMe', 'GET')), 'role')
  if (role === 'admin' || role === 'superadmin') return { username, token, role }
  throw new ConformanceStartError('unexpected_answer')
}

/** @throws ConformanceStartError when nothing responds at all */
export async function checkReachable(send: Send): Promise<void> {
  await answered(() => send(ROUTES.livez.path))
}

async function answered(request: () => Promise<Answer>): Promise<Answer> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof NoAnswer) throw new ConformanceStartError('unreachable')
    throw error
  }
}

function fieldOf({ status, text, headers }: Answer, name: string): string {
  if (status === 401 || status === 403) throw new ConformanceStartError('invalid_credentials', status)
  if (status === 429) throw new ConformanceStartError('rate_limited', status, retryAfterMs(headers))
  if (status !== 200) throw new ConformanceStartError('unexpected_answer', status)
  try {
    const value = (JSON.parse(text) as Record<string, unknown>)[name]
    if (typeof value === 'string') return value
  } catch {
    // Told below: it is no answer of this service.
  }
  throw new ConformanceStartError('unexpected_answer', status)
}

/** Held against the `Date` of the answer, for the clock here may be wrong. */
function retryAfterMs(headers: Headers): number | undefined {
  const seconds = headers.get(HEADERS.retryAfter) ?? ''
  if (/^\d{1,9}$/.test(seconds)) return Number(seconds) * 1000
  const reset = headers.get(HEADERS.rateReset) ?? ''
  const waitMs = Number(/^\d{1,12}$/.test(reset) ? reset : Number.NaN) * 1000 - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}
