import { createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { type AppOptions, createApp, createMemoryStorage } from '@fish-crab/server/app'
import { jumpingClock } from './clocks.ts'

const ROOT = { username: 'root', password: 'root-password' }

/** Creates the real service and its clients, which call the service without a network and share its clock. */
export async function realService(options: Pick<AppOptions, 'rateLimit'> = {}) {
  const { clock, slept, advance } = jumpingClock()
  const app = createApp({
    storage: createMemoryStorage(),
    secrets: { encryption: 'an encryption secret of a test', session: 'a session secret of a test, 32 bytes' },
    passwords: {
      hash: async (password) => `plain$${password}`,
      verify: async (password, hash) => hash === `plain$${password}`,
    },
    version: '0.0.0-test',
    clientAddress: () => '192.0.2.1',
    clock: () => clock.now(),
    ...options,
  })
  await app.admins.create(ROOT.username, ROOT.password, 'superadmin')
  const statuses: number[] = []
  let answersLeft = Number.POSITIVE_INFINITY
  let block: Response | undefined
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (block) return block.clone()
    const response = await app.fetch(new Request(url, init))
    statuses.push(response.status)
    if (answersLeft-- <= 0) throw new TypeError('fetch failed')
    return response
  }
  const shared = {
    baseUrl: 'http://fish.test',
    fetch: fetch as typeof globalThis.fetch,
    clock,
    random: () => 0,
    env: {},
  }
  return {
    app,
    clock,
    slept,
    advance,
    statuses,
    /** Loses every response after the next `after` responses. */
    loseAnswers(after: number) {
      answersLeft = after
    },
    /** Responds to every request instead of the service, like a proxy. `undefined` ends this. */
    blockWith(response: Response | undefined) {
      block = response
    },
    admin: createAdminClient({ ...shared, ...ROOT }),
    client: (user: string, fernetKey: string) => createClient({ ...shared, user, fernetKey }),
    names: async (user: string) => {
      const { fish } = await createClient(shared).fish.list({ user, gamemode: 'earth' })
      return fish.map(({ name }) => name)
    },
  }
}
