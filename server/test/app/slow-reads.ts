import { wrapDriver } from '@fish-crab/server/storage'
import { createMemoryDriver } from '../../src/storage/memory/memory.ts'
import { write } from './catches.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'
import { createTimers } from './timers.ts'

/** A write of about 50 KB. The response to a read is streamed if the collection contains three such writes. */
const LARGE = { fish: Array.from({ length: 400 }, () => ({ name: '~'.repeat(90), rarity: 1 })) }
export const LARGE_NAMES = Array.from({ length: 3 }, () => LARGE.fish).flatMap((fish) => fish.map(({ name }) => name))
export const STREAMS = { perClient: 2, total: 4 }
export const WAIT_MS = 10_000

export const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** A service whose reads of a large collection last long enough for clients to disconnect during a read. */
export async function createSlowReads() {
  const storage = createMemoryDriver()
  const timers = createTimers()
  const open = { count: 0 }
  const service = await createMemoryService({
    ...UNLIMITED,
    schedule: timers.schedule,
    streams: STREAMS,
    metrics: {
      observeRequest() {},
      observeRateLimit() {},
      observeStorage() {},
      observeStreams(count) {
        open.count = count
      },
      render: async () => ({ body: '', contentType: '' }),
    },
    storage: wrapDriver({
      ...storage,
      async *read(...args: Parameters<typeof storage.read>) {
        for await (const chunk of storage.read(...args)) {
          await turn()
          yield chunk
        }
      },
    }),
  })
  for (let count = 0; count < 3; count += 1) await write(service, 'fish', LARGE)
  return {
    service,
    timers,
    /** The number of open streams, from the metrics. */
    open,
    /**
     * Waits for a read while no other read runs. Every wait for a turn times out immediately, so a read that has to
     * wait for its turn fails.
     */
    async alone<Result>(reading: Promise<Result>): Promise<Result> {
      let isOver = false
      const end = () => {
        isOver = true
      }
      reading.then(end, end)
      while (!isOver) {
        timers.run(WAIT_MS)
        await turn()
      }
      return reading
    },
  }
}
