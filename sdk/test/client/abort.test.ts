import { createClient } from '@fish-crab/sdk'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/client/core/timing.ts'
import { player, saved, scriptedFetch, tooMany } from './stubs.ts'

const SALMON = { name: 'Salmon', rarity: 3 } as const
const REASON = new Error('The player left.')
/** Resolves after all pending work that needs neither a timer nor I/O. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve, 'still waiting'))

test('an abort during a wait immediately rejects the call with the reason of the abort', async () => {
  const { options, requests } = player(tooMany({ 'retry-after': '100' }))
  const abort = new AbortController()
  const { clock: _, ...withRealClock } = options
  const waits = Promise.withResolvers<unknown>()
  const client = createClient({ ...withRealClock, onWait: waits.resolve })
  const settled = client.fish.add(SALMON, { signal: abort.signal }).catch((thrown) => thrown)
  await waits.promise
  await nextTurn()
  abort.abort(REASON)
  expect(await Promise.race([settled, nextTurn()])).toBe(REASON)
  expect(requests).toHaveLength(1)
})

test('a sleep with an aborted signal immediately rejects with the reason of the abort', async () => {
  await expect(systemClock.sleep(60_000, AbortSignal.abort(REASON))).rejects.toBe(REASON)
})

test('a clock that ignores signals does not delay an abort', async () => {
  const abort = new AbortController()
  const { options } = player(tooMany({ 'retry-after': '100' }))
  const clock = {
    now: () => 0,
    sleep: () => {
      abort.abort(REASON)
      return new Promise<void>(() => {})
    },
  }
  await expect(createClient({ ...options, clock }).fish.add(SALMON, { signal: abort.signal })).rejects.toBe(REASON)
})

test('an abort during a request rejects the call and aborts the fetch', async () => {
  const abort = new AbortController()
  const { fetch, requests } = scriptedFetch(() => {
    queueMicrotask(() => abort.abort(REASON))
    return new Promise<Response>(() => {})
  })
  await expect(createClient({ fetch }).demo.fish({ signal: abort.signal })).rejects.toBe(REASON)
  expect(requests[0]?.init.signal?.aborted).toBe(true)
  expect(requests).toHaveLength(1)
})

test('calls with an aborted signal send no requests', async () => {
  const { options, requests } = player()
  const client = createClient(options)
  const signal = AbortSignal.abort(REASON)
  const calls = [
    client.fish.add(SALMON, { signal }),
    client.fish.list({ signal }),
    client.crabs.add({}, { signal }),
    client.crabs.list({ signal }),
    client.demo.fish({ signal }),
    client.demo.crabs({ signal }),
    client.status({ signal }),
    client.keys.get({ username: 'a', password: 'b', signal }),
  ]
  const reasons = (await Promise.allSettled(calls)).map((call) =>
    call.status === 'rejected' ? call.reason : 'fulfilled',
  )
  expect(reasons).toEqual(calls.map(() => REASON))
  expect(requests).toEqual([])
})

test('an abort after the response has no effect', async () => {
  const { options } = player(saved())
  const abort = new AbortController()
  const result = await createClient(options).fish.add(SALMON, { signal: abort.signal })
  abort.abort(REASON)
  expect(result.id).toBe('record-1')
})
