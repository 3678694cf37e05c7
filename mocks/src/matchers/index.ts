import {
  type Gamemode,
  type Kind,
  RARITIES,
  RARITY_LABELS,
  type RarityLabel,
  type RarityValue,
  ROUTES,
  type RouteName,
  rarityLabel,
  rarityValue,
  userNameKey,
} from '@fish-crab/sdk/contract'
import type { HistoryEntry, StoredCatch, StoredFish } from '../history/entry.ts'
import type { Mock } from '../mock/mock.ts'

/** The result of `expect.any()`, `expect.stringMatching()` and so on in Vitest, Jest and other runners. */
interface AsymmetricMatcher {
  asymmetricMatch(actual: unknown): boolean
}

type Expected<Value> = Value | RegExp | AsymmetricMatcher

/**
 * Matches stored catches by name or by fields. A rarity can have every form that `client.fish.add` accepts, a user name
 * any letter case.
 */
export type CatchPattern =
  | Expected<string>
  | ({ readonly [Field in Exclude<keyof StoredFish, 'rarity'>]?: Expected<StoredFish[Field]> } & {
      readonly rarity?: Expected<RarityValue | RarityLabel | Lowercase<RarityLabel>>
    })

/** The result of a matcher. Runners print `actual` and `expected` as a diff. */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
  readonly actual?: unknown
  readonly expected?: unknown
}

/** Matchers for the requests to a mock and the catches that it stored. Their messages contain no keys. */
export interface MockMatchers<Result = unknown> {
  /**
   * Clients stored a matching fish. Without a pattern: any fish.
   * @param times the exact number @default at least one
   * @throws TypeError when the pattern has an unknown field, rarity or gamemode, even after `.not`
   * @example expect(mock).toHaveSentFish({ name: 'Salmon', rarity: 'gold', user: 'Alex' })
   * @example expect(mock).not.toHaveSentFish({ name: expect.stringMatching(/^Sal/) })
   */
  toHaveSentFish(pattern?: CatchPattern, times?: number): Result
  /** Like `toHaveSentFish`, for crabs. @example expect(mock).toHaveSentCrabs('crab', 2) */
  toHaveSentCrabs(pattern?: CatchPattern, times?: number): Result
  /**
   * The mock responded 429 to requests, by its rate limit or by a fault.
   * @param times the exact number @default at least one
   */
  toHaveBeenRateLimited(times?: number): Result
  /**
   * The mock received requests to a route.
   * @param times the exact number @default at least one
   * @throws TypeError when the route is unknown, even after `.not`
   * @example expect(mock).toHaveReceived('postFish', 1)
   */
  toHaveReceived(route: RouteName, times?: number): Result
}

/** The matchers, for `expect.extend` of any runner. */
export const mockMatchers = {
  toHaveSentFish: (mock: Mock, pattern?: CatchPattern, times?: number) => sent(mock, 'fish', pattern, times),
  toHaveSentCrabs: (mock: Mock, pattern?: CatchPattern, times?: number) => sent(mock, 'crab', pattern, times),
  toHaveBeenRateLimited: (mock: Mock, times?: number) =>
    received(mock, 'refuse requests because of the rate limit', 'status', 429, times),
  toHaveReceived(mock: Mock, route: RouteName, times?: number): MatcherResult {
    assertMock(mock)
    if (!Object.hasOwn(ROUTES, route)) {
      throw new TypeError(`Unknown route "${route}". Known routes: ${Object.keys(ROUTES).join(', ')}.`)
    }
    return received(mock, `receive requests to ${route}`, 'route', route, times)
  },
}

function received<Field extends 'status' | 'route'>(
  mock: Mock,
  what: string,
  field: Field,
  expected: HistoryEntry[Field],
  times: number | undefined,
): MatcherResult {
  assertMock(mock)
  const all = mock.requests.map((request) => request[field])
  const matched = all.filter((value) => value === expected).length
  return toResult({ what, expected, all, matched, times, received: describeRequests(mock.requests) })
}

type AnyCatch = StoredCatch & { readonly rarity?: RarityLabel }
type Fields = Readonly<Partial<Record<keyof StoredFish, unknown>>>

function sent(mock: Mock, kind: Kind, pattern: CatchPattern | undefined, times: number | undefined): MatcherResult {
  assertMock(mock)
  const all: readonly AnyCatch[] = kind === 'fish' ? mock.sent.fish() : mock.sent.crabs()
  const { expected, matches, pick } = readPattern(pattern, kind, mock.gamemodes)
  return toResult({
    what: `store ${kind} from clients like ${expected === undefined ? '"any"' : text(expected)}`,
    expected: expected ?? 'any',
    all: all.map(pick),
    matched: all.filter(matches).length,
    times,
    received: `It stored:${all.map((one) => `\n  ${describe(one)}`).join('') || ' none'}`,
  })
}

interface Comparison {
  readonly what: string
  readonly expected: unknown
  /** All actual values, in the form of `expected`. */
  readonly all: readonly unknown[]
  readonly matched: number
  readonly times: number | undefined
  readonly received: string
}

function toResult({ what, expected, all, matched, times, received }: Comparison): MatcherResult {
  if (times !== undefined && !(Number.isSafeInteger(times) && times >= 0)) {
    throw new TypeError('times must be 0 or a positive integer.')
  }
  const pass = times === undefined ? matched > 0 : matched === times
  const count = times === undefined ? '' : ` ${times} times`
  return {
    pass,
    message: () => `The mock should ${pass ? 'not ' : ''}${what}${count}; it did ${matched} times. ${received}`,
    ...(matched === 0 ? { actual: all, expected: [expected] } : { actual: matched, expected: times ?? 0 }),
  }
}

interface ReadPattern {
  readonly expected: unknown
  readonly matches: (one: AnyCatch) => boolean
  readonly pick: (one: AnyCatch) => unknown
}

function readPattern(pattern: unknown, kind: Kind, gamemodes: readonly Gamemode[]): ReadPattern {
  if (pattern === undefined) return { expected: undefined, matches: () => true, pick: describe }
  if (isAsymmetric(pattern) && !matchesText(pattern)) {
    return { expected: pattern, matches: (one) => pattern.asymmetricMatch(one), pick: (one) => one }
  }
  if (typeof pattern === 'string' || pattern instanceof RegExp || isAsymmetric(pattern)) {
    return { expected: pattern, matches: ({ name }) => isLike(name, pattern), pick: ({ name }) => name }
  }
  if (typeof pattern !== 'object' || pattern === null) {
    throw new TypeError('A pattern must be a name, a regular expression, an asymmetric matcher or an object of fields.')
  }
  const expected = readFields(pattern, kind, gamemodes)
  const fields = Object.keys(expected) as (keyof StoredFish)[]
  return {
    expected,
    matches: (one) => fields.every((field) => isLike(one[field], expected[field], field)),
    pick: (one) => Object.fromEntries(fields.map((field) => [field, one[field]])),
  }
}

const CATCH_FIELDS = ['user', 'gamemode', 'name', 'id', 'caughtAt'] as const satisfies (keyof StoredCatch)[]
const FIELDS = { fish: [...CATCH_FIELDS, 'rarity'], crab: CATCH_FIELDS } as const

/** Rejects patterns that match no catch, since they would always pass after `.not`. */
function readFields(pattern: object, kind: Kind, gamemodes: readonly Gamemode[]): Fields {
  const known: readonly string[] = FIELDS[kind]
  const entries = Object.entries(pattern).map(([field, value]: [string, unknown]) => {
    if (!known.includes(field)) throw new TypeError(`Unknown field "${field}". Known fields: ${known.join(', ')}.`)
    if (value === undefined) throw new TypeError(`The field "${field}" is undefined. Omit it to match any value.`)
    if (value instanceof RegExp || isAsymmetric(value)) return [field, value]
    if (field === 'rarity') return [field, readRarity(value)]
    if (field === 'gamemode' && !gamemodes.some((gamemode) => gamemode === value)) {
      throw new TypeError(`Unknown gamemode "${value}". Known gamemodes: ${gamemodes.join(', ')}.`)
    }
    return [field, value]
  })
  return Object.fromEntries(entries)
}

function readRarity(given: unknown): RarityLabel {
  const value = typeof given === 'string' || typeof given === 'number' ? rarityValue(given) : undefined
  if (value !== undefined) return rarityLabel(value)
  throw new TypeError(
    `Unknown rarity ${JSON.stringify(given)}. Use 1 to ${RARITIES.length}, or one of ${RARITY_LABELS.join(', ')}.`,
  )
}

function isLike(actual: unknown, expected: unknown, field?: keyof StoredFish): boolean {
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual)
  // Not test(), which starts at lastIndex with the flag g.
  if (expected instanceof RegExp) return String(actual).search(expected) >= 0
  if (field === 'user' && typeof expected === 'string') return userNameKey(expected) === userNameKey(String(actual))
  return expected === actual
}

function isAsymmetric(value: unknown): value is AsymmetricMatcher {
  return typeof (value as Partial<AsymmetricMatcher> | null | undefined)?.asymmetricMatch === 'function'
}

/** Whether a matcher is for strings, such as `expect.stringContaining()`: it then matches the name. */
function matchesText(matcher: AsymmetricMatcher & { getExpectedType?(): string }): boolean {
  return matcher.getExpectedType?.() === 'string'
}

function assertMock(value: Mock): void {
  const { sent, requests } = (value ?? {}) as Partial<Mock>
  if (typeof sent?.fish === 'function' && Array.isArray(requests)) return
  throw new TypeError('expect() must get a mock of createMock().')
}

function describeRequests(requests: readonly HistoryEntry[]): string {
  const lines = requests.map(
    ({ method, path, status, user }) => `\n  ${method} ${path}${user ? ` of ${user}` : ''}: ${status ?? 'in flight'}`,
  )
  return `It received:${lines.join('') || ' none'}`
}

function describe({ name, user, gamemode, rarity }: AnyCatch): string {
  return `${name}${rarity ? ` (${rarity})` : ''} of ${user} in ${gamemode}`
}

function text(expected: unknown): string {
  return JSON.stringify(expected, (_, value: unknown) => {
    if (value instanceof RegExp) return String(value)
    return isAsymmetric(value) ? nameOf(value) : value
  })
}

function nameOf(matcher: AsymmetricMatcher & { toAsymmetricMatcher?(): string }): string {
  return matcher.toAsymmetricMatcher?.() ?? String(matcher)
}
