import FakeTimers from '@sinonjs/fake-timers'

// A run ends after this real time, because a client that sets timers of 0 ms endlessly stops the virtual time.
const LONGEST_REAL_MS = 20_000

/**
 * Runs work on virtual time: all timers and clocks of the process use the virtual clock.
 *
 * @param work The work, which receives a function that returns the true time. The clocks of the process are wrong by
 * `wrongByMs`.
 * @returns the result of the work, or `undefined` if the work does not end within `limitMs` of virtual time
 */
export async function virtually<Result>(
  wrongByMs: number,
  limitMs: number,
  work: (trueNow: () => number) => Promise<Result>,
): Promise<Result | undefined> {
  const realNow = performance.now.bind(performance)
  const started = realNow()
  const start = Date.parse('2026-01-01T00:00:00Z')
  const clock = FakeTimers.install({
    now: start + wrongByMs,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  })
  try {
    let result: { readonly value: Result } | undefined
    let failure: unknown
    work(() => clock.now - wrongByMs).then(
      (value) => {
        result = { value }
      },
      (error: unknown) => {
        failure = error ?? new Error('It failed without an error.')
      },
    )
    while (!result && failure === undefined) {
      await new Promise((resolve) => setImmediate(resolve))
      if (clock.now - start - wrongByMs > limitMs || realNow() - started > LONGEST_REAL_MS) return undefined
      if (!result && clock.countTimers() > 0) clock.next()
    }
    if (failure !== undefined) throw failure
    return result?.value
  } finally {
    clock.uninstall()
  }
}
