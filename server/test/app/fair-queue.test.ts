import { expect, it } from 'vitest'
import { createFairQueue } from '../../src/app/core/fair-queue.ts'
import { createTimers } from './timers.ts'

const WAIT_MS = 10_000

function createQueue(options: { readonly concurrency: number; readonly perClient?: number }) {
  const timers = createTimers()
  const rejection = () => new Error('too late')
  const queue = createFairQueue({ ...options, limit: { waitMs: WAIT_MS, schedule: timers.schedule, rejection } })
  const started: string[] = []
  const ends: (() => void)[] = []
  /** Runs a task that the test ends. */
  const run = (client: string, signal?: AbortSignal) =>
    queue.run({
      client,
      signal,
      work: () => {
        started.push(client)
        return new Promise<void>((resolve) => void ends.push(resolve))
      },
    })
  const end = () => ends.shift()?.()
  const endNext = async () => {
    const before = started.length
    end()
    if (queue.waiting > 0) await expect.poll(() => started.length, { interval: 1 }).toBe(before + 1)
  }
  return { queue, timers, started, run, end, endNext }
}

it('a fair queue alternates between clients, however many tasks each client has', async () => {
  const { started, run, endNext } = createQueue({ concurrency: 1 })
  const all = [...Array.from({ length: 5 }, () => run('busy')), run('other'), run('third')]
  for (let count = 0; count < all.length; count += 1) await endNext()
  await Promise.all(all)
  expect(started).toEqual(['busy', 'busy', 'other', 'third', 'busy', 'busy', 'busy'])
})

it('a fair queue runs at most the allowed number of tasks per client, and leaves capacity for other clients', async () => {
  const { started, run, endNext } = createQueue({ concurrency: 4, perClient: 1 })
  const all = [run('one'), run('one'), run('other')]
  expect(started).toEqual(['one', 'other'])
  for (const _ of all) await endNext()
  await Promise.all(all)
})

it('a fair queue rejects a task that waits too long for its turn', async () => {
  const { timers, started, run, endNext } = createQueue({ concurrency: 1 })
  const first = run('slow')
  const [late, other] = [run('late'), run('other')]
  await endNext()
  timers.run(WAIT_MS)
  await expect(other).rejects.toThrow('too late')
  await endNext()
  await Promise.all([first, late])
  expect(started).toEqual(['slow', 'late'])
  expect(timers.intervals).toEqual([])
})

it('a fair queue drops a task if its client disconnects while the task is waiting or when the task is about to start', async () => {
  const { queue, timers, started, run, end, endNext } = createQueue({ concurrency: 1 })
  const first = run('first')
  const leaving = new AbortController()
  const gone = run('gone', leaving.signal)
  leaving.abort(new Error('left'))
  await expect(gone).rejects.toThrow('left')
  expect([queue.waiting, timers.intervals]).toEqual([0, []])
  const later = new AbortController()
  const called = run('called', later.signal)
  end()
  await first
  // The task is next, but the abort is handled before the task starts.
  later.abort(new Error('left later'))
  await expect(called).rejects.toThrow('left later')
  const last = run('last')
  await endNext()
  await last
  expect(started).toEqual(['first', 'last'])
})

it('the event loop handles other events between the tasks of a long fair queue', async () => {
  const queue = createFairQueue({ concurrency: 4 })
  let events = 0
  let isDone = false
  const count = () => {
    events += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all(Array.from({ length: 400 }, () => queue.run({ client: 'one', work: async () => {} })))
  isDone = true
  expect(events).toBeGreaterThan(50)
})

it('starts each waiting task in a turn of the event loop of its own', async () => {
  const queue = createFairQueue({ concurrency: 4, perClient: 1 })
  let turn = 0
  const count = () => {
    turn += 1
    if (turn < 100) setImmediate(count)
  }
  setImmediate(count)
  const turns: number[] = []
  const work = async () => {
    turns.push(turn)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  await Promise.all(Array.from({ length: 12 }, (_, at) => queue.run({ client: `${at}`, work })))
  // The first four tasks do not wait.
  expect(new Set(turns.slice(3)).size).toBe(9)
})
