// Prints how many kilobytes a GET of 10 entries allocates in the app. guard.ts starts it with a large young generation.
import { createFernet } from '@fish-crab/sdk/fernet'
import { createApp, createMemoryStorage } from '@fish-crab/server/app'

const REQUESTS = 2000

const app = createApp({
  storage: createMemoryStorage(),
  secrets: { encryption: 'a secret of a benchmark', session: 'another secret, of 32 bytes or more' },
  passwords: { hash: async (password) => password, verify: async (password, hash) => password === hash },
  version: '1.0.0',
  rateLimit: { requests: 1e9, windowMs: 300_000 },
})
await app.checkSecrets()
const { fernetKey } = await app.users.create({ name: 'Reader' })
const fish = Array.from({ length: 10 }, (_, index) => ({ name: `Fish ${index}`, rarity: 1 }))
const body = await createFernet(fernetKey).encrypt(JSON.stringify({ fish, gamemode: 'earth' }))
const base = 'http://bench'
const host = { address: '192.0.2.1' }
await app.fetch(new Request(`${base}/post/fish?name=Reader`, { method: 'POST', body }), host)
const readAll = async () => {
  for (let request = 0; request < REQUESTS; request += 1) {
    await app.fetch(new Request(`${base}/get/fish?name=Reader&gamemode=earth`), host)
  }
}
await readAll()
const before = process.memoryUsage().heapUsed
await readAll()
process.stdout.write(`${(process.memoryUsage().heapUsed - before) / REQUESTS / 1024}\n`)
