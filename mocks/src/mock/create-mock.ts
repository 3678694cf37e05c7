import { requireNode } from '../node-version.ts'
import type { Mock } from './mock.ts'
import type { MockOptions } from './options.ts'

/**
 * Makes a world of a test's own: the very program that serves, on memory, with a clock, faults and a journal. Two
 * worlds share nothing. The service is loaded with the first mock, so that a page which may be mocked pays for it only
 * when it is.
 *
 * @throws Error when the seed is refused: it names what is wrong.
 * @throws RangeError when a limit, the moment to start at or the number of proxies is none.
 * @throws TypeError when an option is unknown or of another kind, or an origin is none. All of them name the option.
 * @example
 * await using mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
 * const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
 * await client.fish.add({ name: 'Salmon', rarity: 'gold' })
 * mock.sent.fish() // [{ user: 'Alex', gamemode: 'earth', name: 'Salmon', rarity: 'Gold', … }]
 */
export async function createMock(options: MockOptions = {}): Promise<Mock> {
  requireNode()
  const { openMock } = await import('./open-mock.ts')
  return openMock(options)
}
