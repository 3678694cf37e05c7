import { ACCOUNT_LIMITS, isUserName, userNameKey } from '@fish-crab/sdk/contract'
import type { CountWindow, FishStorage } from '../../storage/core/types.ts'
import { rateLimited } from '../http/rate-limit.ts'

interface LoginAttempt {
  readonly client: string
  readonly name: string
}

export type LoginLimiter = ReturnType<typeof createLoginLimiter>

interface LoginWindow {
  readonly key: string
  readonly limit: number
}

/**
 * Creates the limiter of failed logins. Within 5 minutes, a client may fail 10 times for one name and 100 times in
 * total.
 */
export function createLoginLimiter(storage: FishStorage, clock: () => number) {
  const countWindow = ({ limit }: LoginWindow): CountWindow => ({
    durationMs: ACCOUNT_LIMITS.failedLoginWindowSeconds * 1000,
    limit,
    now: clock(),
  })

  async function uncount(counted: readonly LoginWindow[]): Promise<void> {
    await Promise.all(counted.map((window) => storage.countInWindow(window.key, { ...countWindow(window), by: -1 })))
  }

  return {
    async check(attempt: LoginAttempt): Promise<void> {
      for (const window of windowsOf(attempt)) {
        const failures = await storage.peekWindow(window.key, countWindow(window))
        if (failures.count >= window.limit) throw rateLimited(failures, clock())
      }
    },

    /**
     * Runs one attempt. Throws `rate_limited` after too many failures. Each attempt counts as a failure before it runs,
     * and a success reverts the count, so that concurrent attempts cannot exceed the limit, even in several processes.
     * @param verify returns `undefined` for wrong credentials
     */
    async run<Result>(attempt: LoginAttempt, verify: () => Promise<Result | undefined>): Promise<Result | undefined> {
      const counted: LoginWindow[] = []
      let isFailure = false
      try {
        for (const window of windowsOf(attempt)) {
          const attempts = await storage.countInWindow(window.key, countWindow(window))
          if (attempts.count > window.limit) throw rateLimited(attempts, clock())
          counted.push(window)
        }
        const result = await verify()
        isFailure = result === undefined
        return result
      } finally {
        if (!isFailure) await uncount(counted)
      }
    },
  }
}

function windowsOf({ client, name }: LoginAttempt): readonly LoginWindow[] {
  // All invalid names share one window. Otherwise, a client could create any number of windows.
  const key = isUserName(name) ? userNameKey(name) : ''
  return [
    { key: `login:${client}`, limit: ACCOUNT_LIMITS.failedLoginsPerClient },
    { key: `login-name:${client} ${key}`, limit: ACCOUNT_LIMITS.failedLogins },
  ]
}
