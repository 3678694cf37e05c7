import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OutboxStoreError, openOutbox } from '@fish-crab/sdk/outbox'
import { expect, it, vi } from 'vitest'
import { jumpingClock } from './clocks.ts'
import { type FakeService, fakeService, fish, numbers, refusal } from './fake-service.ts'
import { testFolder } from './folders.ts'

const COUNT = 6
const BAD = '4'

class Crash extends Error {}

/** Simulates a crash: fails the n-th operation, before or after its effect, and every later operation. */
function crashingAt(n: number, when: 'before' | 'after') {
  let done = 0
  let crashed = false
  const count = () => {
    done += 1
    if (done === n && when === 'before') crashed = true
    if (crashed) throw new Crash()
  }
  const checkAfter = () => {
    if (done !== n || when === 'before') return
    crashed = true
    throw new Crash()
  }
  return {
    step: async <T>(work: () => T | Promise<T>): Promise<T> => {
      count()
      const result = await work()
      checkAfter()
      return result
    },
    /** Counts each commit as an operation, because every change of the file is a transaction. */
    watchCommits: () => {
      const exec = DatabaseSync.prototype.exec
      const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
        if (sql === 'COMMIT') count()
        exec.call(this, sql)
        if (sql === 'COMMIT') checkAfter()
      })
      return () => spy.mockRestore()
    },
    hasCrashed: () => crashed,
  }
}

/** Runs a program that adds the catches after its checkpoint, and then flushes its outbox. */
async function live(
  path: string,
  service: FakeService,
  crash: ReturnType<typeof crashingAt>,
  clock: ReturnType<typeof jumpingClock>['clock'],
): Promise<void> {
  const client = service.client()
  const send = (resource: { send: (...args: never[]) => PromiseLike<unknown> }) => ({
    ...resource,
    send: (...args: unknown[]) => crash.step(() => resource.send(...(args as never[])) as Promise<unknown>),
  })
  await using outbox = await openOutbox({
    client: { fish: send(client.fish), crabs: send(client.crabs) } as never,
    user: 'Alex',
    gamemode: 'earth',
    path,
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

it.each(['before', 'after'] as const)(
  'an outbox loses, duplicates and reorders no catches if a program dies %s its n-th operation, for every n',
  async (when) => {
    let clean = false
    for (let n = 1; !clean; n += 1) {
      const path = join(await testFolder(), 'outbox.db')
      const service = fakeService()
      service.before = ({ names }) => {
        if (names.includes(BAD)) throw refusal('invalid_payload')
      }
      const { clock } = jumpingClock()
      const crash = crashingAt(n, when)
      const restore = crash.watchCommits()
      await live(path, service, crash, clock).catch((error: unknown) => {
        if (!(error instanceof Crash || (error instanceof OutboxStoreError && error.cause instanceof Crash)))
          throw error
      })
      restore()
      clean = !crash.hasCrashed()

      await live(path, service, crashingAt(Number.POSITIVE_INFINITY, 'before'), clock)
      await using outbox = await openOutbox({ path })
      const rejected = (await outbox.deadLetters()).map(({ catches }) => catches.map(({ entry }) => entry.name))

      expect(service.names('fish/Alex/earth'), `operation ${n}`).toEqual(
        numbers(1, COUNT).filter((name) => name !== BAD),
      )
      expect(rejected).toEqual([[BAD]])
      expect(await outbox.status()).toMatchObject({ pending: 0, rejected: 1 })
      expect(n).toBeLessThan(200)
    }
  },
  // Thousands of syncs are slow on a busy disk.
  60_000,
)
