import { createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { expect, test } from 'vitest'
import worker, { Service } from '../hosts/worker.ts'
import { openDatabase } from './sql-database.ts'

const SECRETS = {
  FISH_SECRET: 'an encryption secret of the tests',
  FISH_JWT_SECRET: 'a session secret of the tests, long enough',
  FISH_ADMIN_PASSWORD: 'correct horse battery staple',
}

/**
 * Starts the Worker with one Durable Object, which the test can evict from memory. `npm run runtimes` runs the same
 * Worker on workerd.
 */
function startWorker() {
  const { exec, transaction } = openDatabase()
  const state = {
    storage: {
      sql: { exec: (...query: Parameters<typeof exec>) => ({ toArray: () => exec(...query) }) },
      transactionSync: transaction,
    },
    blockConcurrencyWhile: <Result>(run: () => Promise<Result>) => run(),
  }
  let object: Service | undefined
  const env = {
    ...SECRETS,
    SERVICE: {
      idFromName: (name: string) => ({ name }),
      get() {
        object ??= new Service(state, env)
        return object
      },
    },
  }
  const fetchFrom = (address: string) => (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init)
    request.headers.set('cf-connecting-ip', address)
    return worker.fetch(request, env)
  }
  return {
    fetchFrom,
    evict() {
      object = undefined
    },
  }
}

test('the Worker keeps players, keys and catches when its Durable Object is evicted', async () => {
  const { fetchFrom, evict } = startWorker()
  const connection = { baseUrl: 'https://fish.example', fetch: fetchFrom('192.0.2.1') }
  const admin = createAdminClient({ ...connection, username: 'admin', password: SECRETS.FISH_ADMIN_PASSWORD })
  const { fernetKey, password } = await admin.users.create({ name: 'Alex' })
  const client = createClient({ ...connection, user: 'Alex', gamemode: 'earth', fernetKey })
  await client.fish.add({ name: 'Salmon', rarity: 'Gold' })

  evict()
  expect((await client.fish.list()).fish).toEqual([{ name: 'Salmon', rarity: 'Gold' }])
  expect(await client.keys.get({ username: 'Alex', password })).toMatchObject({ fernetKey })
  await expect(client.keys.get({ username: 'Alex', password: `${password}!` })).rejects.toMatchObject({ status: 401 })
})

test('the Worker limits the requests of each client address that Cloudflare reports', async () => {
  const { fetchFrom } = startWorker()
  const remaining = async (address: string) =>
    (await fetchFrom(address)('https://fish.example/status')).headers.get('x-ratelimit-remaining')
  expect(await remaining('192.0.2.1')).toBe('24')
  expect(await remaining('192.0.2.1')).toBe('23')
  expect(await remaining('192.0.2.2')).toBe('24')
})
