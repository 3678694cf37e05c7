import { isUserName, LIMITS, userNameKey } from '@fish-crab/sdk/contract'
import type { CountWindow, FishStorage } from '../../storage/types.ts'
import { rateLimited } from '../http/rate-limit.ts'

/** A client that logs in under a name. */
interface LoginAttempt {
  readonly client: string
  readonly name: string
}

/** Limits the failed logins of a client, per name and over all names. */
export interface LoginLimiter {
  /** Fails with `rate_limited` when the client has failed too often. */
  check(attempt: LoginAttempt): Promise<void>
  /**
   * Runs one attempt, unless the client has failed too often. It is counted before it runs and taken back unless it
   * failed, so that many at once, also in several processes, cannot all slip in before the first is counted.
   * @param prove answers `undefined` when the credentials are wrong
   */
  run<Result>(attempt: LoginAttempt, prove: () => Promise<Result | undefined>): Promise<Result | undefined>
}

interface LoginWindow {
  readonly key: string
  readonly limit: number
}

/** Makes the guard: 10 failures of a client under one name, and 100 under all names, in 5 minutes. */
export function createLoginLimiter(storage: FishStorage, clock: () => number): LoginLimiter {
  const countWindow = ({ limit }: LoginWindow): CountWindow => ({
    durationMs: LIMITS.failedLoginWindowSeconds * 1000,
    limit,
    now: clock(),
  })

  async function takeBack(counted: readonly LoginWindow[]): Promise<void> {
    await Promise.all(counted.map((one) => storage.countInWindow(one.key, { ...countWindow(one), by: -1 })))
  }

  return {
    async check(attempt) {
      for (const window of windowsOf(attempt)) {
        const failures = await storage.peekWindow(window.key, countWindow(window))
        if (failures.count >= window.limit) throw rateLimited(failures, clock())
      }
    },

    async run(attempt, prove) {
      const counted: LoginWindow[] = []
      let isFailure = false
      try {
        for (const window of windowsOf(attempt)) {
          const attempts = await storage.countInWindow(window.key, countWindow(window))
          if (attempts.count > window.limit) throw rateLimited(attempts, clock())
          counted.push(window)
        }
        const result = await prove()
        isFailure = result === undefined
        return result
      } finally {
        if (!isFailure) await takeBack(counted)
      }
    },
  }
}

function windowsOf({ client, name }: LoginAttempt): readonly LoginWindow[] {
  // Invalid names count as one name. Otherwise each would take a window of its own, and a client could send any number.
  const key = isUserName(name) ? userNameKey(name) : ''
  return [
    { key: `login:${client}`, limit: LIMITS.failedLoginsPerClient },
    { key: `login-name:${client} ${key}`, limit: LIMITS.failedLogins },
  ]
}
