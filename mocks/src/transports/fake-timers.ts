import { WARN_AFTER_MS } from '../service/clock.ts'

/**
 * Warns if a call does not complete because fake timers replaced functions without which `fetch` of Node stops. It is
 * not an error, because a test may run the replaced functions itself.
 */
export async function warnOfFakeTimers<Result>(call: Promise<Result>): Promise<Result> {
  const names = fakedFunctions()
  if (names.length === 0) return call
  const settled = new AbortController()
  // Fake timers do not replace this timer.
  const late = AbortSignal.timeout(WARN_AFTER_MS)
  late.addEventListener('abort', () => warn(names), { signal: settled.signal })
  return call.finally(() => settled.abort())
}

function fakedFunctions(): string[] {
  const functions = { nextTick: globalThis.process?.nextTick, queueMicrotask: globalThis.queueMicrotask }
  // The fake timers of Jest, Vitest and Sinon store their clock in each function that they replace.
  return Object.entries(functions).flatMap(([name, one]) => (one && 'clock' in one ? name : []))
}

function warn(names: readonly string[]): void {
  // biome-ignore lint/suspicious/noConsole: a test that hangs has no other way to find the reason
  console.warn(
    `A request to a mock hangs, because fake timers replaced ${names.join(' and ')}, which fetch needs. ` +
      "Keep both functions real: jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }). " +
      'In Vitest, omit both from vi.useFakeTimers({ toFake }), as the default does.',
  )
}
