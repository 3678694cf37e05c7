import { WARN_AFTER_MS } from '../service/clock.ts'

/** A function that a transport may need. */
type Needed = 'nextTick' | 'queueMicrotask'

/**
 * Warns if a call hangs because fake timers replaced a function that the transport needs. A warning suffices, because
 * the test may run the replaced function itself.
 */
export async function warnOfFakeTimers<Result>(call: Promise<Result>, needed: readonly Needed[]): Promise<Result> {
  const functions = { nextTick: globalThis.process?.nextTick, queueMicrotask: globalThis.queueMicrotask }
  // The fake timers of Jest, Vitest and Sinon store their clock in each function that they replace.
  const names = needed.filter((name) => functions[name] && 'clock' in functions[name])
  if (names.length === 0) return call
  const settled = new AbortController()
  // Fake timers do not replace this timer.
  const late = AbortSignal.timeout(WARN_AFTER_MS)
  late.addEventListener('abort', () => warn(names), { signal: settled.signal })
  return call.finally(() => settled.abort())
}

function warn(names: readonly string[]): void {
  // biome-ignore lint/suspicious/noConsole: a test that hangs has no other way to find the reason
  console.warn(
    `A request to a mock hangs, because fake timers replaced ${names.join(' and ')}, which fetch needs. ` +
      "Keep both functions real: jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }). " +
      'In Vitest, omit both from vi.useFakeTimers({ toFake }), as the default does.',
  )
}
