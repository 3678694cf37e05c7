/** How long a call may still wait, its waits all together. */
export interface Budget {
  /** Milliseconds. */
  leftMs(): number
  /** Does something that waits, and counts how long it took. */
  wait<Result>(work: () => Promise<Result>): Promise<Result>
}

/** @param deadlineLeftMs What no wait may be longer than in any case. */
export function startBudget(maxWaitMs: number, deadlineLeftMs: () => number, now: () => number): Budget {
  let waitedMs = 0
  return {
    leftMs: () => Math.min(maxWaitMs - waitedMs, deadlineLeftMs()),
    async wait(work) {
      const since = now()
      try {
        return await work()
      } finally {
        waitedMs += now() - since
      }
    },
  }
}
