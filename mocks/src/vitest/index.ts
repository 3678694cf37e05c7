import { test as base, expect } from 'vitest'
import { type MockMatchers, mockMatchers } from '../matchers/index.ts'
import { createMock } from '../mock/create-mock.ts'
import type { Mock } from '../mock/mock.ts'
import type { MockOptions } from '../mock/options.ts'

export { expect } from 'vitest'
export { type CatchPattern, type MockMatchers, mockMatchers } from '../matchers/index.ts'

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends MockMatchers<R> {}
}

/** The fixtures of {@link test}. */
export interface MockFixtures {
  /** The options of `createMock`. Override them for a file or a `describe`. @default {} */
  readonly mockOptions: MockOptions
  /** A mock for this test, which is closed when the test ends. A fault that is pending then fails the test. */
  readonly mock: Mock
}

expect.extend(mockMatchers)

/**
 * Vitest's `test` with a separate mock for each test, so that tests can run concurrently.
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
    mock.assertNoPendingFaults()
  },
})
