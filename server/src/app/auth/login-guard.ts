import { LIMITS } from '@fish-crab/sdk/contract'
import type { CountWindow, FishStorage } from '../../storage/types.ts'
import { rateLimited } from '../limits/rate-limit.ts'

/** Limits how often a client may fail to prove who it is. */
export interface LoginGuard {
  /**
   * Runs one attempt, unless the client has failed too often. Attempts of one client run one after the other, so that
   * many at once cannot all slip in before the first failure is counted.
   * @param attempt answers `undefined` when the credentials are wrong
   */
  attempt<Result>(client: string, attempt: () => Promise<Result | undefined>): Promise<Result | undefined>
}

/** Makes the guard: 10 failures per client in 5 minutes. */
export function createLoginGuard(storage: FishStorage, clock: () => number): LoginGuard {
  const queues = new Map<string, Promise<unknown>>()
  const window = (): CountWindow => ({
    durationMs: LIMITS.failedLoginWindowSeconds * 1000,
    limit: LIMITS.failedLogins,
    now: clock(),
  })

  async function attemptNow<Result>(client: string, attempt: () => Promise<Result | undefined>) {
    const key = `login:${client}`
    const failures = await storage.peekWindow(key, window())
    if (failures.count >= LIMITS.failedLogins) throw rateLimited(failures, clock())
    const result = await attempt()
    if (result === undefined) await storage.countInWindow(key, window())
    return result
  }

  return {
    attempt(client, attempt) {
      const before = queues.get(client) ?? Promise.resolve()
      const run = before.then(() => attemptNow(client, attempt))
      const settled = run
        .catch(() => undefined)
        .finally(() => {
          if (queues.get(client) === settled) queues.delete(client)
        })
      queues.set(client, settled)
      return run
    },
  }
}
