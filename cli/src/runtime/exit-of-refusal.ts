import { EXIT, type ExitStatus } from '../core/exit.ts'

/** What an answer refused with. */
export interface Refusal {
  readonly status: number
  readonly code: string
}

/** The exit status for a refusal. */
export function exitOfRefusal(refusal: Refusal): ExitStatus {
  const { status, code } = refusal
  if (isForeign(refusal)) return EXIT.failure
  // The server cannot tell a wrong key from a broken token, and this program breaks none.
  if (status === 401 || status === 403 || code === 'invalid_token') return EXIT.credentials
  if (status === 429) return EXIT.rateLimited
  if (status === 400) return EXIT.usage
  if (status === 404) return EXIT.notFound
  if (status === 409) return EXIT.conflict
  if (status === 503) return EXIT.unreachable
  return EXIT.failure
}

/** Whether a refusal is not the service's: those have a code. What asks for credentials may be a proxy that needs some. */
export function isForeign({ status, code }: Refusal): boolean {
  return code === 'unknown' && ![401, 403, 429].includes(status) && status < 500
}
