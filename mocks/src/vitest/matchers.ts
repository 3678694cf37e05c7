import type { Kind, RarityLabel, RouteName } from '@fish-crab/sdk/contract'
import type { StoredCatch, StoredFish } from '../journal/entry.ts'
import type { Mock } from '../mock.ts'

/** Which stored catches are meant: by name, or by any of their fields. */
export type CatchPattern = string | { readonly [Field in keyof StoredFish]?: StoredFish[Field] | RegExp }

/** What a matcher answers vitest. */
interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** Matchers on what reached a mock. Their messages name catches and requests, never a key. */
export interface MockMatchers<Result = unknown> {
  /**
   * Clients stored such a fish in the mock. Without a pattern: any.
   * @param times exactly so often @default at least once
   * @example expect(mock).toHaveSentFish({ name: 'Salmon', rarity: 'Gold', user: 'Alex' })
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
   * @example expect(mock).toHaveReceived('postFish', 1)
   */
  toHaveReceived(route: RouteName, times?: number): Result
}

/** The matchers, for `expect.extend` where the fixture is not used. */
export const mockMatchers = {
  toHaveSentFish: (mock: Mock, pattern?: CatchPattern, times?: number) => sent(mock, 'fish', pattern, times),
  toHaveSentCrabs: (mock: Mock, pattern?: CatchPattern, times?: number) => sent(mock, 'crab', pattern, times),
  toHaveBeenRateLimited: (mock: Mock, times?: number) =>
    judge(
      mock.requests.filter(({ status }) => status === 429).length,
      times,
      'refuse requests because of the rate limit',
      seenRequests(mock),
    ),
  toHaveReceived: (mock: Mock, route: RouteName, times?: number) =>
    judge(
      mock.requests.filter((request) => request.route === route).length,
      times,
      `receive requests to ${route}`,
      seenRequests(mock),
    ),
}

function sent({ sent }: Mock, kind: Kind, pattern: CatchPattern | undefined, times: number | undefined): MatcherResult {
  const all: readonly StoredCatch[] = kind === 'fish' ? sent.fish() : sent.crabs()
  const list = all.map((one) => `\n  ${describe(one)}`).join('') || ' none'
  const found = all.filter((one) => matches(one, pattern)).length
  return judge(found, times, `store ${kind} from clients like ${text(pattern)}`, `It stored:${list}`)
}

function judge(found: number, times: number | undefined, what: string, seen: string): MatcherResult {
  const pass = times === undefined ? found > 0 : found === times
  const wanted = times === undefined ? '' : ` ${times} times`
  return {
    pass,
    message: () => `The mock should ${pass ? 'not ' : ''}${what}${wanted}; it did ${found} times. ${seen}`,
  }
}

function seenRequests({ requests }: Mock): string {
  const lines = requests.map(
    ({ method, path, status, user }) => `\n  ${method} ${path}${user ? ` of ${user}` : ''}: ${status ?? 'under way'}`,
  )
  return `It received:${lines.join('') || ' none'}`
}

function matches(one: StoredCatch & { readonly rarity?: RarityLabel }, pattern: CatchPattern | undefined): boolean {
  if (pattern === undefined) return true
  const wanted = typeof pattern === 'string' ? { name: pattern } : pattern
  return (Object.keys(wanted) as (keyof typeof wanted)[]).every((field) => {
    const [expected, actual] = [wanted[field], one[field]]
    return expected instanceof RegExp ? expected.test(String(actual)) : expected === undefined || expected === actual
  })
}

function describe({ name, user, gamemode, ...rest }: StoredCatch & { readonly rarity?: RarityLabel }): string {
  return `${name}${rest.rarity ? ` (${rest.rarity})` : ''} of ${user} in ${gamemode}`
}

function text(pattern: CatchPattern | undefined): string {
  if (pattern === undefined || typeof pattern === 'string') return JSON.stringify(pattern ?? 'any')
  return JSON.stringify(pattern, (_, value: unknown) => (value instanceof RegExp ? String(value) : value))
}
