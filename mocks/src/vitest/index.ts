import { test as base, expect } from 'vitest'
import { type MockMatchers, mockMatchers } from '../matchers/matchers.ts'
import { createMock } from '../mock/create-mock.ts'
import type { Mock } from '../mock/mock.ts'
import type { MockOptions } from '../mock/options.ts'

export { expect } from 'vitest'
export { type CatchPattern, type MockMatchers, mockMatchers } from '../matchers/matchers.ts'

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends MockMatchers<R> {}
}

/** What the tests of {@link test} are given. */
export interface MockFixtures {
  /** What the world of a test is made of. Override it for a file or a `describe`. @default {} */
  readonly mockOptions: MockOptions
  /** A world of the test's own. What it opened is closed when the test ends. */
  readonly mock: Mock
}

expect.extend(mockMatchers)

/**
 * vitest's `test`, which gives each test a world of its own: tests may run at once.
 * @example
 * import { expect, test } from '@fish-crab/mocks/vitest'
 *
 * test.override({ mockOptions: { seed: { users: [{ name: 'Alex' }] } } })
 *
 * test('posts the catch', async ({ mock }) => {
 *   await createClient({ ...mock.client('Alex'), gamemode: 'earth' }).fish.add({ name: 'Salmon', rarity: 'gold' })
 *   expect(mock).toHaveSentFish('Salmon')
 * })
 */
export const test = base.extend<MockFixtures>({
  mockOptions: {},
  mock: async ({ mockOptions }, use) => {
    await using mock = await createMock(mockOptions)
    await use(mock)
  },
})
