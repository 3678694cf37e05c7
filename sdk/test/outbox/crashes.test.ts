import { join } from 'node:path'
import { memoryStore, type OutboxStore, openOutbox, sqliteStore } from '@fish-crab/sdk/outbox'
import { describe, expect, it } from 'vitest'
import { jumpingClock } from './clocks.ts'
import { type FakeService, fakeService, fish, numbers, refusal } from './fake-service.ts'
import { testFolder } from './folders.ts'

const COUNT = 6
const BAD = '4'

class Crash extends Error {}

/** Fails the n-th operation, before or after it was done, and every one after it: the process has ended. */
function crashingAt(n: number, when: 'before' | 'after') {
  let done = 0
  let crashed = false
  const step = async <T>(work: () => T | Promise<T>): Promise<T> => {
    done += 1
    if (crashed || (done === n && when === 'before')) {
      crashed = true
      throw new Crash()
    }
    const result = await work()
    if (done !== n) return result
    crashed = true
    throw new Crash()
  }
  const store = (inner: OutboxStore): OutboxStore => {
    const methods = Object.entries(inner).map(([name, method]) => [
      name,
      (...args: unknown[]) => step(() => method(...args)),
    ])
    return Object.fromEntries(methods)
  }
  return { step, store, hasCrashed: () => crashed }
}

interface StoreKind {
  readonly name: string
  /** Opens the store as a new process sees it. */
  open(): Promise<() => Promise<OutboxStore>>
}

const storeKinds: StoreKind[] = [
  {
    name: 'memoryStore',
    open: async () => {
      const store = memoryStore()
      return async () => store
    },
  },
  {
    name: 'sqliteStore',
    open: async () => {
      const path = join(await testFolder(), 'outbox.db')
      return () => sqliteStore(path)
    },
  },
]

/** One life of a program that adds what it has not added yet, by its checkpoint, and sends. */
async function live(
  store: OutboxStore,
  service: FakeService,
  crash: ReturnType<typeof crashingAt>,
  clock: ReturnType<typeof jumpingClock>['clock'],
): Promise<void> {
  const client = service.client()
  const send = (resource: { send: (...args: never[]) => PromiseLike<unknown> }) => ({
    ...resource,
    send: (...args: unknown[]) => crash.step(() => resource.send(...(args as never[])) as Promise<unknown>),
  })
  const outbox = await openOutbox({
    client: { fish: send(client.fish), crabs: send(client.crabs) } as never,
    user: 'Alex',
    gamemode: 'earth',
    store: crash.store(store),
    maxBatch: 4,
    clock,
    random: () => 0,
  })
  for (;;) {
    const place = Number((await outbox.checkpoint('log')) ?? 0)
    if (place >= COUNT) break
    const value = String(place + 3)
    await outbox.add(fish(place + 1, place + 3), { checkpoint: { name: 'log', value } })
  }
  const { stopped } = await outbox.flush()
  const [first] = stopped
  if (first) throw first.error
}

describe.each(storeKinds)('$name', ({ open }) => {
  it.each(['before', 'after'] as const)(
    'loses, doubles and reorders nothing when a program dies %s its n-th operation, for every n',
    async (when) => {
      let clean = false
      for (let n = 1; !clean; n += 1) {
        const reopen = await open()
        const service = fakeService()
        service.before = ({ names }) => {
          if (names.includes(BAD)) throw refusal('invalid_payload')
        }
        const { clock, advance } = jumpingClock()
        const crash = crashingAt(n, when)
        const first = await reopen()
        await live(first, service, crash, clock).catch((error: unknown) => {
          if (!(error instanceof Crash)) throw error
        })
        clean = !crash.hasCrashed()

        advance(60_000)
        const second = await reopen()
        await live(second, service, crashingAt(Number.POSITIVE_INFINITY, 'before'), clock)
        const left = await second.collections()
        const aside = await second.deadLetters(9)
        await second.close()
        await first.close()

        expect(service.names('fish/Alex/earth'), `operation ${n}`).toEqual(
          numbers(1, COUNT).filter((name) => name !== BAD),
        )
        expect(aside.map(({ catches }) => catches.map(({ entry }) => entry.name))).toEqual([[BAD]])
        expect(left).toMatchObject([{ queued: 0, frozen: 0, dead: 1 }])
        expect(n).toBeLessThan(200)
      }
    },
    // Thousands of syncs to disk: a busy one takes its time.
    60_000,
  )
})
