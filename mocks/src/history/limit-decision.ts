import { HEADERS, ROUTES } from '@fish-crab/sdk/contract'
import type { RequestTarget } from '../mock/request-target.ts'
import type { LimitDecision } from './entry.ts'

/** What the rate limit made of a request, by the headers of its answer. */
export function limitDecision(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  { route, isPreflight }: RequestTarget,
): LimitDecision {
  const left = headers.get(HEADERS.rateRemaining)
  if (left !== null) {
    const remaining = Number(left)
    const resetAt = new Date(Number(headers.get(HEADERS.rateReset)) * 1000)
    return { decision: status === 429 && remaining === 0 ? 'refused' : 'counted', remaining, resetAt }
  }
  const isPublic = route === 'unmatched' || ROUTES[route].audience === 'public'
  return { decision: isPublic && !isPreflight && status < 500 ? 'bypassed' : 'exempt' }
}
