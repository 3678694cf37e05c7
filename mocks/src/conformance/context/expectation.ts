import { ROUTES } from '@fish-crab/sdk/contract'
import type { Answer } from './answer.ts'

/** A check found something other than the contract says. Both sides are told in words, without secrets. */
export class ConformanceFailure extends Error {
  override readonly name: string = 'ConformanceFailure'
  readonly expected: string
  readonly actual: string
  /** Names the request in the log of the implementation. */
  readonly requestId: string | undefined

  /** What is probably wrong, in the same words wherever that is. */
  readonly probableCause: string

  constructor(expected: string, actual: string, requestId?: string, probableCause = `not as expected: ${expected}`) {
    super(`Expected ${expected}, but got ${actual}.`)
    this.expected = expected
    this.actual = actual
    this.requestId = requestId
    this.probableCause = probableCause
  }
}

/** The probable cause of whatever gets no response. */
export const NO_RESPONSE = 'the service does not respond'

/** A request got no answer: the connection failed, or it took too long. */
export class NoAnswer extends ConformanceFailure {
  override readonly name = 'NoAnswer'

  constructor(expected: string, actual: string) {
    super(expected, actual, undefined, NO_RESPONSE)
  }
}

/** A check cannot be made here. The message is the reason. */
export class CheckSkipped extends Error {
  override readonly name = 'CheckSkipped'
}

const SHOWN_CHARACTERS = 300

/** A value as it stands in a message. */
function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : typeof value === 'string' ? `"${value}"` : JSON.stringify(value)
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

/**
 * Fails unless `holds`.
 * @param expected what the contract says, as the end of "Expected …"
 * @param actual what was there instead
 */
export function expectThat(holds: boolean, expected: string, actual: unknown, answer?: Answer): asserts holds {
  if (holds) return
  const what = typeof actual === 'string' ? actual : shown(actual)
  if (!answer) throw new ConformanceFailure(expected, what)
  const unexpected = /^(\d{3})( |$)/.test(what) ? causeOf(answer, what) : undefined
  throw new ConformanceFailure(
    `${expected} on ${answer.to}`,
    what,
    answer.requestId,
    unexpected ?? `not as expected: ${expected}`,
  )
}

/** A status that was not expected has one cause for each route; a limit that is not lifted has one for all. */
function causeOf({ to, status }: Answer, actual: string): string {
  if (status === 429) return `requests are refused: ${actual}`
  const [method = '', target = ''] = to.split(' ', 2)
  const path = target.replace(/[?#].*$/s, '')
  const route = Object.values(ROUTES).find((one) => one.method === method && patternOf(one.path).test(path))
  return `${method} ${route?.path ?? path} responds ${actual}`
}

function patternOf(path: string): RegExp {
  return new RegExp(`^(/v1)?${path.replace(/:\w+/g, '[^/]+')}$`)
}

/** Fails unless both values are the same JSON, whatever the order of keys. */
export function expectSame(actual: unknown, expected: unknown, what: string, answer?: Answer): void {
  expectThat(sorted(actual) === sorted(expected), `${what} to be ${shown(expected)}`, shown(actual), answer)
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
}
