// Appends to a file store without a server: `node server/bench/appenders.ts FOLDER APPENDERS COUNT`. Each appender has a
// collection of its own and waits for one append before the next. Prints appends a second.
import { createStorage } from '@fish-crab/server/storage'
import { newCatch } from './seed.ts'

const [path = '', appenders, count] = process.argv.slice(2)
const storage = await createStorage({ driver: 'file', path })
let left = Number(count)
const startedAt = performance.now()
const append = async (_: unknown, index: number) => {
  while (left > 0) {
    left -= 1
    await storage.append({ owner: `owner-${index}`, kind: 'fish', gamemode: 'earth' }, newCatch(left))
  }
}
await Promise.all(Array.from({ length: Number(appenders) }, append))
process.stdout.write(`${(1000 * Number(count)) / (performance.now() - startedAt)}\n`)
await storage.dispose()
