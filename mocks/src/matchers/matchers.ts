import {
  GAMEMODES,
  isGamemode,
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

/** What Vitest, Jest and their like make by `expect.any()`, `expect.stringMatching()` and so on. */
interface AsymmetricMatcher {
  asymmetricMatch(actual: unknown): boolean
}

type Wanted<Value> = Value | RegExp | AsymmetricMatcher

/**
 * Which stored catches are meant: by name, or by any of their fields. A rarity is taken in every spelling that
 * `client.fish.add` takes, a user's name in any letter case.
 */
export type CatchPattern =
  | Wanted<string>
  | ({ readonly [Field in Exclude<keyof StoredFish, 'rarity'>]?: Wanted<StoredFish[Field]> } & {
      readonly rarity?: Wanted<RarityValue | RarityLabel | Lowercase<RarityLabel>>
    })

/** What a matcher returns to the runner. `actual` and `expected` are for its diff. */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
  readonly actual?: unknown
  readonly expected?: unknown
}

/** Matchers on what reached a mock. Their messages name catches and requests, never a key. */
export interface MockMatchers<Result = unknown> {
  /**
   * Clients stored such a fish in the mock. Without a pattern: any.
   * @param times exactly so often @default at least once
   * @throws TypeError when the pattern has an unknown field, rarity or gamemode, also behind `.not`
   * @example expect(mock).toHaveSentFish({ name: 'Salmon', rarity: 'gold', user: 'Alex' })
   * @example expect(mock).not.toHaveSentFish({ name: expect.stringMatching(/^Sal/) })
   */
  toHaveSentFish(pattern?: CatchPattern, times?: number): Result
  /** As `toHaveSentFish`, for crabs. @example expect(mock).toHaveSentCrabs('crab', 2) */
  toHaveSentCrabs(pattern?: CatchPattern, times?: number): Result
  /**
   * The mock refused requests because there were too many, by itself or by a fault.
   * @param times exactly so many @default at least one
   */
  toHaveBeenRateLimited(times?: number): Result
  /**
   * Requests to a route reached the mock.
   * @param times exactly so many @default at least one
   * @throws TypeError when there is no such route, also behind `.not`
   * @example expect(mock).toHaveReceived('postFish', 1)
   */
  toHaveReceived(route: RouteName, times?: number): Result
}

/** The matchers, for `expect.extend` of any runner that has one. */
export const mockMatchers = {
  toHaveSentFish: (mock: Mock, pattern?: CatchPattern, times?: number) => sent(mock, 'fish', pattern, times),
  toHaveSentCrabs: (mock: Mock, pattern?: CatchPattern, times?: number) => sent(mock, 'crab', pattern, times),
  toHaveBeenRateLimited(mock: Mock, times?: number): MatcherResult {
    const requests = requestsOf(mock)
    return judge({
      what: 'refuse requests because of the rate limit',
      wanted: 429,
      all: requests.map(({ status }) => status),
      found: requests.filter(({ status }) => status === 429).length,
      times,
      seen: seenRequests(requests),
    })
  },
  toHaveReceived(mock: Mock, route: RouteName, times?: number): MatcherResult {
    const requests = requestsOf(mock)
    if (!Object.hasOwn(ROUTES, route)) {
      throw new TypeError(`Unknown route "${route}". Known routes: ${Object.keys(ROUTES).join(', ')}.`)
    }
    return judge({
      what: `receive requests to ${route}`,
      wanted: route,
      all: requests.map((request) => request.route),
      found: requests.filter((request) => request.route === route).length,
      times,
      seen: seenRequests(requests),
    })
  },
}

type AnyCatch = StoredCatch & { readonly rarity?: RarityLabel }
type Fields = Readonly<Partial<Record<keyof StoredFish, unknown>>>

function sent(mock: Mock, kind: Kind, pattern: CatchPattern | undefined, times: number | undefined): MatcherResult {
  assertMock(mock)
  const all: readonly AnyCatch[] = kind === 'fish' ? mock.sent.fish() : mock.sent.crabs()
  const { wanted, matches, shown } = readPattern(pattern, kind)
  return judge({
    what: `store ${kind} from clients like ${wanted === undefined ? '"any"' : text(wanted)}`,
    wanted: wanted ?? 'any',
    all: all.map(shown),
    found: all.filter(matches).length,
    times,
    seen: `It stored:${all.map((one) => `\n  ${describe(one)}`).join('') || ' none'}`,
  })
}

interface Judged {
  readonly what: string
  readonly wanted: unknown
  /** All that was there, in the form of `wanted`. */
  readonly all: readonly unknown[]
  readonly found: number
  readonly times: number | undefined
  readonly seen: string
}

function judge({ what, wanted, all, found, times, seen }: Judged): MatcherResult {
  if (times !== undefined && !(Number.isSafeInteger(times) && times >= 0)) {
    throw new TypeError('times is a whole number, 0 or more.')
  }
  const pass = times === undefined ? found > 0 : found === times
  const asked = times === undefined ? '' : ` ${times} times`
  return {
    pass,
    message: () => `The mock should ${pass ? 'not ' : ''}${what}${asked}; it did ${found} times. ${seen}`,
    ...(found === 0 ? { actual: all, expected: [wanted] } : { actual: found, expected: times ?? 0 }),
  }
}

interface ReadPattern {
  readonly wanted: unknown
  readonly matches: (one: AnyCatch) => boolean
  /** A catch in the fields that the pattern names. */
  readonly shown: (one: AnyCatch) => unknown
}

function readPattern(pattern: unknown, kind: Kind): ReadPattern {
  if (pattern === undefined) return { wanted: undefined, matches: () => true, shown: describe }
  if (isAsymmetric(pattern) && !matchesText(pattern)) {
    return { wanted: pattern, matches: (one) => pattern.asymmetricMatch(one), shown: (one) => one }
  }
  if (typeof pattern === 'string' || pattern instanceof RegExp || isAsymmetric(pattern)) {
    return { wanted: pattern, matches: ({ name }) => isLike(name, pattern), shown: ({ name }) => name }
  }
  if (typeof pattern !== 'object' || pattern === null) {
    throw new TypeError('A pattern is a name, a regular expression, an asymmetric matcher or an object of fields.')
  }
  const wanted = readFields(pattern, kind)
  const fields = Object.keys(wanted) as (keyof StoredFish)[]
  return {
    wanted,
    matches: (one) => fields.every((field) => isLike(one[field], wanted[field], field)),
    shown: (one) => Object.fromEntries(fields.map((field) => [field, one[field]])),
  }
}

const CATCH_FIELDS = ['user', 'gamemode', 'name', 'id', 'caughtAt'] as const satisfies (keyof StoredCatch)[]
const FIELDS = { fish: [...CATCH_FIELDS, 'rarity'], crab: CATCH_FIELDS } as const

/** Refuses what no catch can ever match: behind `.not` such a pattern would always pass. */
function readFields(pattern: object, kind: Kind): Fields {
  const known: readonly string[] = FIELDS[kind]
  const entries = Object.entries(pattern).map(([field, value]: [string, unknown]) => {
    if (!known.includes(field)) throw new TypeError(`Unknown field "${field}". Known fields: ${known.join(', ')}.`)
    if (value === undefined) throw new TypeError(`The field "${field}" has no value. Leave it out for any.`)
    if (value instanceof RegExp || isAsymmetric(value)) return [field, value]
    if (field === 'rarity') return [field, readRarity(value)]
    if (field === 'gamemode' && !isGamemode(value)) {
      throw new TypeError(`Unknown gamemode "${value}". Known gamemodes: ${GAMEMODES.join(', ')}.`)
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

function isLike(actual: unknown, wanted: unknown, field?: keyof StoredFish): boolean {
  if (isAsymmetric(wanted)) return wanted.asymmetricMatch(actual)
  // Not test(): an expression with the flag g would start where it found the catch before.
  if (wanted instanceof RegExp) return String(actual).search(wanted) >= 0
  if (field === 'user' && typeof wanted === 'string') return userNameKey(wanted) === userNameKey(String(actual))
  return wanted === actual
}

function isAsymmetric(value: unknown): value is AsymmetricMatcher {
  return typeof (value as Partial<AsymmetricMatcher> | null | undefined)?.asymmetricMatch === 'function'
}

/** Whether a matcher is one of texts, such as `expect.stringContaining()`: then it stands for a name. */
function matchesText(matcher: AsymmetricMatcher & { getExpectedType?(): string }): boolean {
  return matcher.getExpectedType?.() === 'string'
}

function assertMock(value: Mock): void {
  const { sent, requests } = (value ?? {}) as Partial<Mock>
  if (typeof sent?.fish === 'function' && Array.isArray(requests)) return
  throw new TypeError('expect() takes a mock of createMock() here.')
}

function requestsOf(mock: Mock): readonly HistoryEntry[] {
  assertMock(mock)
  return mock.requests
}

function seenRequests(requests: readonly HistoryEntry[]): string {
  const lines = requests.map(
    ({ method, path, status, user }) => `\n  ${method} ${path}${user ? ` of ${user}` : ''}: ${status ?? 'under way'}`,
  )
  return `It received:${lines.join('') || ' none'}`
}

function describe({ name, user, gamemode, rarity }: AnyCatch): string {
  return `${name}${rarity ? ` (${rarity})` : ''} of ${user} in ${gamemode}`
}

function text(wanted: unknown): string {
  return JSON.stringify(wanted, (_, value: unknown) => {
    if (value instanceof RegExp) return String(value)
    return isAsymmetric(value) ? nameOf(value) : value
  })
}

function nameOf(matcher: AsymmetricMatcher & { toAsymmetricMatcher?(): string }): string {
  return matcher.toAsymmetricMatcher?.() ?? String(matcher)
}
