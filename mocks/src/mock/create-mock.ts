import { requireNode } from '../../../server/src/storage/core/require-node.ts'
import type { Mock } from './mock.ts'
import type { MockOptions } from './options.ts'

/**
 * Creates an isolated mock of the service: the program that the server runs, in memory, with a clock, faults and a
 * history. Two mocks share nothing. The code of the service is loaded with the first mock, so that a page downloads the
 * code only if it creates a mock.
 *
 * @throws Error when the seed is invalid; the message names the user or administrator.
 * @throws RangeError when a limit, `startAt` or `trustProxy` is out of range.
 * @throws TypeError when an option is unknown or has the wrong type, or an origin is invalid.
 * @example
 * const mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
 * const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
 * await client.fish.add({ name: 'Salmon', rarity: 'gold' })
 * mock.sent.fish() // [{ user: 'Alex', gamemode: 'earth', name: 'Salmon', rarity: 3 }]
 * await mock.close()
 */
export async function createMock(options: MockOptions = {}): Promise<Mock> {
  requireNode('@fish-crab/mocks')
  const { openMock } = await import('./open-mock.ts')
  return openMock(options)
}
