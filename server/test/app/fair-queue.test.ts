import { expect, it } from 'vitest'
import { createFairQueue } from '../../src/app/core/fair-queue.ts'

it('costs about as much for each of 4,000 waiters as for a few, however they are spread over clients', async () => {
  let looks = 0
  const clock = () => {
    looks += 1
    return 0
  }
  const limits = { maxMs: 1000, maxWaiting: 10_000, rejection: () => new Error('too late') }
  const queue = createFairQueue({ concurrency: 4, perClient: 1, limits, clock })
  const done: string[] = []
  const run = (client: string) => queue.run({ client, work: async () => void done.push(client) })
  const clients = Array.from({ length: 2000 }, (_, index) => [run('one'), run(`client ${index}`)]).flat()
  await Promise.all(clients)
  expect(done).toHaveLength(4000)
  // A few for each: a look at all others each time would need millions.
  expect(looks).toBeLessThan(100_000)
})
