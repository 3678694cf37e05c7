import { ApiError, ConnectionError, createClient, NotFoundError, RateLimitError } from '@fish-crab/sdk'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type Followed,
  followCollection,
  problemOf,
  type Refusal,
  type StreamEvent,
} from '../../web/src/data/follow.ts'
import type { LastKnown } from '../../web/src/data/last-known.ts'
import { type Caught, emptyProfile, type PlayerProfile, withCatches } from '../../web/src/data/profile.ts'

const SALMON = { name: 'Salmon', rarity: 'Gold', caughtAt: '2026-01-01T00:00:00.000Z' } as const
const PIKE = { name: 'Pike', rarity: 'Bronze', caughtAt: '2026-01-02T00:00:00.000Z' } as const
const CAUGHT = { kind: 'fish', gamemode: 'earth' } as const

const LATER_PIKE = { ...PIKE, caughtAt: '2026-01-02T00:00:01.000Z' } as const

const collectionOf = (...fish: { name: string; rarity: 'Gold' | 'Bronze'; caughtAt: string }[]): PlayerProfile =>
  withCatches(
    emptyProfile('Alex', ['earth']),
    fish.map((one) => ({ ...CAUGHT, ...one })),
  )

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 3) })
})
afterEach(() => {
  vi.useRealTimers()
})

interface Given {
  readonly remaining?: number
  readonly error?: unknown
  readonly now?: PlayerProfile
  readonly lastKnown?: LastKnown
}

const streamOf = (onEvent: (event: StreamEvent) => void) => ({
  isClosed: false,
  onCatch: (caught: Caught) => onEvent({ type: 'caught', caught }),
  onConnect: () => onEvent({ type: 'connected' }),
  onDisconnect: (refusal?: Refusal) => onEvent({ type: 'disconnected', refusal }),
  onRemoved: () => onEvent({ type: 'removed' }),
  onEnd: (refusal?: Refusal) => onEvent({ type: 'ended', refusal }),
})

/** Follows a collection on a page. The test changes the collection, and shows or hides the page. */
function follow({ lastKnown, ...given }: Given = {}) {
  const client = createClient({ env: {} })
  const world = {
    isOnline: true,
    isVisible: true,
    now: collectionOf(SALMON),
    error: undefined as unknown,
    remaining: 20,
    ...given,
  }
  const seen: Followed[] = []
  const streams: ReturnType<typeof streamOf>[] = []
  let changed = () => {}
  let loads = 0
  let held: Promise<PlayerProfile | undefined> | undefined
  const following = followCollection({
    client,
    lastKnown,
    async load() {
      loads += 1
      if (world.error) throw world.error
      // A load returns the collection in its state at the beginning of the load.
      const snapshot = world.now
      const resetAt = new Date(Date.now() + 200_000)
      return { profile: (await held) ?? snapshot, rateLimit: { limit: 25, remaining: world.remaining, resetAt } }
    },
    context: {
      now: Date.now,
      isOnline: () => world.isOnline,
      isVisible: () => world.isVisible,
      onChange(callback) {
        changed = callback
        return () => {
          changed = () => {}
        }
      },
    },
    listen(onEvent) {
      const stream = streamOf(onEvent)
      streams.push(stream)
      return () => {
        stream.isClosed = true
      }
    },
    onUpdate: (followed) => seen.push(followed),
  })
  return {
    world,
    following,
    streams,
    seen,
    loads: () => loads,
    last: () => seen.at(-1),
    /** The numbers of catches that were shown as new, by name. */
    added: () => {
      const shown = seen.filter(({ fresh }, at) => fresh !== seen[at - 1]?.fresh).flatMap(({ fresh }) => fresh)
      const names = [...new Set(shown.map(({ name }) => name))]
      const count = (name: string) =>
        shown.filter((one) => one.name === name).reduce((sum, { added }) => sum + added, 0)
      return Object.fromEntries(names.map((name) => [name, count(name)]))
    },
    /** Makes loads wait until the returned function is called, and then return this collection. */
    hold(collection?: PlayerProfile) {
      const { promise, resolve } = Promise.withResolvers<PlayerProfile | undefined>()
      held = promise
      return () => {
        held = undefined
        resolve(collection)
      }
    },
    change(now: Partial<typeof world>) {
      Object.assign(world, now)
      changed()
    },
    wait: (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds),
  }
}

describe('a followed collection', () => {
  it('is loaded immediately and again after a minute, and added catches are shown as new', async () => {
    const { world, last, wait, loads } = follow()
    await wait(0)
    expect(last()).toMatchObject({ profile: { user: 'Alex' }, fresh: [] })
    world.now = collectionOf(SALMON, PIKE)
    await wait(59_000)
    expect(loads()).toBe(1)
    await wait(2000)
    expect(last()?.fresh).toMatchObject([{ name: 'Pike', kind: 'fish', added: 1 }])
  })

  it('is shown as of the last visit if the load fails, and the first load reports no new catches', async () => {
    const lastKnown = { profile: collectionOf(SALMON), updatedAt: Date.UTC(2026, 0, 2) }
    const { change, last, wait } = follow({ lastKnown, error: new ConnectionError('unreachable', {}) })
    await wait(0)
    expect(last()).toMatchObject({ ...lastKnown, problem: { kind: 'unreachable' }, fresh: [] })
    change({ error: undefined, now: collectionOf(SALMON, PIKE) })
    await wait(3000)
    expect(last()).toMatchObject({ updatedAt: Date.now() - 1000, fresh: [] })
    expect(last()?.profile?.gamemodes[0]?.fish.total).toBe(2)
    expect(last()?.problem).toBeUndefined()
  })

  it('has a stream if the page stays open, and is then loaded only every five minutes', async () => {
    const { streams, last, wait, loads } = follow()
    await wait(9000)
    expect(streams).toHaveLength(0)
    await wait(2000)
    expect(streams).toHaveLength(1)
    streams[0]?.onCatch({ ...CAUGHT, ...PIKE })
    streams[0]?.onCatch({ ...CAUGHT, ...PIKE })
    await wait(300)
    expect(last()).toMatchObject({
      profile: { gamemodes: [{ fish: { total: 3, unique: 2 } }] },
      fresh: [{ name: 'Pike', added: 2 }],
    })
    await wait(50_000)
    expect(loads()).toBe(2)
    await wait(290_000)
    expect(loads()).toBe(2)
  })

  it('is loaded again if a catch arrives during a load', async () => {
    const { streams, world, last, wait, loads } = follow()
    await wait(59_900)
    streams[0]?.onCatch({ ...CAUGHT, ...PIKE })
    world.now = collectionOf(SALMON, PIKE)
    await wait(200)
    expect(loads()).toBe(2)
    await wait(5000)
    expect(loads()).toBe(3)
    expect(last()?.profile?.gamemodes[0]?.fish.total).toBe(2)
  })

  it('is loaded again when its stream opens, since catches may have been stored just before', async () => {
    const { streams, world, last, wait, loads } = follow()
    await wait(11_000)
    world.now = collectionOf(SALMON, PIKE)
    streams[0]?.onConnect()
    await wait(5100)
    expect([loads(), last()?.profile?.gamemodes[0]?.fish.total]).toEqual([2, 2])
    await wait(290_000)
    expect(loads()).toBe(2)
  })

  it('counts and shows a catch once, even if a load contains the catch before the resumed stream delivers it', async () => {
    const { streams, change, added, last, wait } = follow()
    await wait(11_000)
    streams[0]?.onConnect()
    await wait(5000)
    change({ now: collectionOf(SALMON, PIKE, PIKE) })
    streams[0]?.onDisconnect()
    await wait(0)
    // Both catches are entries of one record.
    streams[0]?.onCatch({ ...CAUGHT, ...PIKE })
    streams[0]?.onCatch({ ...CAUGHT, ...PIKE })
    streams[0]?.onConnect()
    await wait(6000)
    expect([last()?.profile?.gamemodes[0]?.fish.total, added()]).toEqual([3, { Pike: 2 }])
    streams[0]?.onCatch({ ...CAUGHT, ...LATER_PIKE })
    await wait(300)
    expect([last()?.profile?.gamemodes[0]?.fish.total, added()]).toEqual([4, { Pike: 3 }])
  })

  it.each([
    ['contains', [SALMON, PIKE]],
    ['does not contain', [SALMON]],
  ])('counts and shows a catch only once if the catch arrives during a load that %s the catch', async (_, loaded) => {
    const { streams, world, added, last, wait, hold } = follow()
    await wait(11_000)
    const release = hold(collectionOf(...loaded))
    streams[0]?.onConnect()
    await wait(5000)
    world.now = collectionOf(SALMON, PIKE)
    streams[0]?.onCatch({ ...CAUGHT, ...PIKE })
    await wait(300)
    expect([last()?.profile?.gamemodes[0]?.fish.total, added()]).toEqual([2, { Pike: 1 }])
    release()
    await wait(0)
    expect(last()?.profile?.gamemodes[0]?.fish.total).toBe(2)
    await wait(6000)
    expect([last()?.profile?.gamemodes[0]?.fish.total, added()]).toEqual([2, { Pike: 1 }])
  })

  it('counts a catch once, even if an earlier catch of the same species was removed before the load', async () => {
    const { streams, change, last, wait } = follow({ now: collectionOf(SALMON, PIKE) })
    await wait(11_000)
    streams[0]?.onConnect()
    await wait(5000)
    change({ now: collectionOf(SALMON, LATER_PIKE) })
    streams[0]?.onRemoved()
    await wait(5000)
    streams[0]?.onCatch({ ...CAUGHT, ...LATER_PIKE })
    await wait(6000)
    expect(last()?.profile?.gamemodes[0]?.fish.total).toBe(2)
  })

  it('shows a catch after a few seconds if the catch is older than a known catch of its species', async () => {
    const { streams, world, added, wait } = follow({ now: collectionOf(SALMON, LATER_PIKE) })
    await wait(11_000)
    world.now = collectionOf(SALMON, LATER_PIKE, PIKE)
    streams[0]?.onCatch({ ...CAUGHT, ...PIKE })
    await wait(6000)
    expect(added()).toEqual({ Pike: 1 })
  })

  it('is shown as out of date as soon as its stream breaks, and as current when the stream is open again', async () => {
    const { streams, change, last, loads } = follow()
    await vi.advanceTimersByTimeAsync(10_000)
    streams[0]?.onConnect()
    await vi.advanceTimersByTimeAsync(5000)
    expect([last()?.problem, loads()]).toEqual([undefined, 2])
    change({ error: new ConnectionError('refused', {}) })
    streams[0]?.onDisconnect()
    await vi.advanceTimersByTimeAsync(0)
    expect(last()).toMatchObject({ problem: { kind: 'unreachable' }, profile: { user: 'Alex' } })
    await vi.advanceTimersByTimeAsync(40_000)
    change({ error: undefined, now: collectionOf(SALMON, PIKE) })
    streams[0]?.onConnect()
    await vi.advanceTimersByTimeAsync(5000)
    expect(last()?.problem).toBeUndefined()
    expect(last()?.fresh).toMatchObject([{ name: 'Pike' }])
  })

  it('is loaded again soon after removals, only once for several removals, and within the rate limit', async () => {
    const { streams, world, last, wait, loads } = follow()
    world.now = collectionOf(SALMON, PIKE)
    await wait(20_000)
    world.now = collectionOf(PIKE)
    for (let removed = 0; removed < 50; removed += 1) {
      streams[0]?.onRemoved()
      await wait(20)
    }
    await wait(3900)
    expect(loads()).toBe(1)
    await wait(200)
    expect(loads()).toBe(2)
    expect(last()?.profile?.gamemodes[0]?.fish.species.map(({ name }) => name)).toEqual(['Pike'])
    await wait(60_000)
    expect(loads()).toBe(2)

    world.remaining = 7
    streams[0]?.onRemoved()
    await wait(5100)
    expect(loads()).toBe(3)
    streams[0]?.onRemoved()
    await wait(190_000)
    expect(loads()).toBe(3)
    await wait(10_000)
    expect(loads()).toBe(4)
  })

  it('is not loaded on a hidden page, but is loaded immediately when the page is shown', async () => {
    const { change, streams, wait, loads } = follow()
    await wait(20_000)
    change({ isVisible: false })
    expect(streams[0]?.isClosed).toBe(true)
    await wait(3_600_000)
    expect(loads()).toBe(1)
    change({ isVisible: true })
    await wait(0)
    expect(loads()).toBe(2)
    await wait(11_000)
    expect(streams).toHaveLength(2)
  })

  it('is loaded when the page is shown again even if the page was hidden only briefly, since no stream was open in that time', async () => {
    const { change, wait, loads, last } = follow()
    await wait(61_000)
    expect(loads()).toBe(2)
    change({ isVisible: false, now: collectionOf(SALMON, PIKE) })
    await wait(10_000)
    change({ isVisible: true })
    await wait(0)
    expect(last()?.fresh).toMatchObject([{ name: 'Pike', added: 1 }])
    for (let times = 0; times < 20; times += 1) {
      change({ isVisible: false })
      await wait(50)
      change({ isVisible: true })
    }
    await wait(0)
    expect(loads()).toBe(3)
  })

  it('is not loaded before the rate limit resets, however often the page is hidden', async () => {
    const { change, wait, loads } = follow({ remaining: 7 })
    await wait(20_000)
    for (let times = 0; times < 3; times += 1) {
      change({ isVisible: false })
      await wait(10_000)
      change({ isVisible: true })
    }
    expect(loads()).toBe(1)
    await wait(150_000)
    expect(loads()).toBe(2)
  })

  it('leaves the last requests of a rate limit window to other pages', async () => {
    const { wait, loads } = follow({ remaining: 7 })
    await wait(190_000)
    expect(loads()).toBe(1)
    await wait(20_000)
    expect(loads()).toBe(2)
  })

  it('is loaded again with growing pauses after errors, and immediately on demand or when the network is back', async () => {
    const { world, change, following, last, wait, loads } = follow({
      error: new ConnectionError('The server does not respond.', {}),
    })
    await wait(0)
    expect(last()?.problem).toEqual({ kind: 'unreachable', retryAt: Date.now() + 2000 })
    await wait(2000)
    expect(last()?.problem).toMatchObject({ retryAt: Date.now() + 4000 })
    following.retry()
    await wait(0)
    expect(loads()).toBe(3)
    change({ isOnline: false })
    expect(last()?.problem).toEqual({ kind: 'offline' })
    await wait(600_000)
    expect(loads()).toBe(3)
    world.error = undefined
    change({ isOnline: true })
    await wait(0)
    expect(last()).toMatchObject({ profile: { user: 'Alex' } })
    expect(last()?.problem).toBeUndefined()
  })

  it('is loaded every minute for an unknown player, except on a hidden page', async () => {
    const error = new NotFoundError('There is no such user.', { status: 404, code: 'user_not_found', headers: {} })
    const { world, change, last, wait, loads } = follow({ error })
    await wait(0)
    expect(last()).toEqual({ isUnknown: true, fresh: [] })
    await wait(61_000)
    expect(loads()).toBe(2)
    change({ isVisible: false })
    await wait(600_000)
    expect(loads()).toBe(2)
    world.error = undefined
    change({ isVisible: true })
    await wait(0)
    expect(last()).toMatchObject({ profile: { user: 'Alex' } })
    expect(last()?.isUnknown).toBeUndefined()
  })

  it('is loaded within a minute after its stream ended, and then has a new stream', async () => {
    const { streams, wait, loads } = follow()
    await wait(70_000)
    expect([streams.length, loads()]).toEqual([1, 2])
    streams[0]?.onEnd()
    await wait(60_000)
    expect([streams.length, loads()]).toEqual([1, 3])
    await wait(10_000)
    expect(streams).toHaveLength(2)
  })

  it('is not loaded after it is stopped', async () => {
    const { following, streams, wait, loads } = follow()
    await wait(20_000)
    following.stop()
    expect(streams[0]?.isClosed).toBe(true)
    await wait(3_600_000)
    expect([loads(), streams.length]).toEqual([1, 1])
  })
})

const limited = (resetAt: number) =>
  new RateLimitError(
    'Too many requests.',
    { status: 429, code: 'rate_limited', headers: {} },
    { resetAt: new Date(resetAt), retryAfterMs: resetAt - Date.now() },
  )

describe('the stream of a followed collection', () => {
  it('is open only between its connection and its break, and the collection says why it is not', async () => {
    const { streams, last, wait, seen } = follow()
    await wait(0)
    expect(last()?.stream).toBe('connecting')
    await wait(10_000)
    expect([streams.length, last()?.stream]).toEqual([1, 'connecting'])
    streams[0]?.onConnect()
    expect(last()?.stream).toBe('open')
    await wait(400_000)
    streams[0]?.onDisconnect()
    expect(last()?.stream).toBe('reconnecting')
    await wait(1000)
    expect(last()).toMatchObject({ stream: 'reconnecting', updatedAt: Date.now() - 1000 })
    streams[0]?.onConnect()
    expect(last()?.stream).toBe('open')
    streams[0]?.onEnd()
    expect(last()?.stream).toBe('reconnecting')
    expect(seen.map(({ stream }) => stream)).not.toContain(undefined)
  })

  it('is closed on a hidden page and on a page without a network', async () => {
    const { streams, change, last, wait } = follow()
    await wait(10_000)
    streams[0]?.onConnect()
    change({ isVisible: false })
    expect(last()?.stream).toBe('connecting')
    change({ isVisible: true })
    await wait(10_000)
    streams[1]?.onConnect()
    expect(last()?.stream).toBe('open')
    change({ isOnline: false })
    expect(last()?.stream).toBe('offline')
    change({ isOnline: true })
    await wait(0)
    expect(last()?.stream).toBe('connecting')
  })

  it.each(['pages', 'streams', 'limited'] as const)(
    'keeps the reason of a refusal (%s) through the next attempts, and the collection is loaded every minute',
    async (refusal) => {
      const { streams, last, wait, loads, seen } = follow()
      await wait(10_000)
      const before = seen.length
      streams[0]?.onEnd(refusal)
      await wait(60_000)
      streams[1]?.onEnd(refusal)
      await wait(60_000)
      expect(loads()).toBe(3)
      expect(new Set(seen.slice(before).map(({ stream }) => stream))).toEqual(new Set([refusal]))
      streams[2]?.onDisconnect(refusal)
      expect(last()?.stream).toBe(refusal)
      streams[2]?.onConnect()
      expect(last()?.stream).toBe('open')
    },
  )

  it('is not open while the server does not respond, even if it has not broken yet', async () => {
    const { streams, world, following, last, wait } = follow()
    await wait(15_000)
    streams[0]?.onConnect()
    world.error = new ConnectionError('refused', {})
    following.retry()
    await wait(0)
    expect(last()).toMatchObject({ stream: 'reconnecting', problem: { kind: 'unreachable' } })
  })

  it('stays open during a rate limit, which is a problem only without a stream', async () => {
    const { streams, world, following, last, wait, loads } = follow()
    await wait(15_000)
    streams[0]?.onConnect()
    world.error = limited(Date.now() + 100_000)
    following.retry()
    await wait(0)
    expect(last()).toMatchObject({ stream: 'open' })
    expect(last()?.problem).toBeUndefined()
    const before = loads()
    await wait(99_000)
    expect(loads()).toBe(before)
    world.error = limited(Date.now() + 50_000)
    streams[0]?.onDisconnect()
    await wait(1000)
    expect(last()).toMatchObject({ stream: 'limited', problem: { kind: 'limited', retryAt: Date.now() + 49_000 } })
  })
})

it('a server that restarts behind a proxy is as unreachable as one without', () => {
  const error = (status: number, code: string) => new ApiError('Bad gateway.', { status, code, headers: {} })
  const kinds = [error(502, 'unknown'), error(503, 'unknown'), error(503, 'unavailable'), error(500, 'unknown')].map(
    (one) => problemOf(one, true, 0).kind,
  )
  expect(kinds).toEqual(['unreachable', 'unreachable', 'busy', 'failed'])
})

const STEP = fc.oneof(
  fc.record({
    step: fc.constant('catch' as const),
    name: fc.constantFrom('Salmon', 'Pike', 'Koi'),
    isLate: fc.boolean(),
  }),
  fc.record({
    step: fc.constantFrom('deliver' as const, 'cut' as const, 'resume' as const, 'hold' as const, 'release' as const),
  }),
  fc.record({ step: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 90 }) }),
)

it('each catch is shown only once, even if streams break and loads overtake the streams', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 60 }), async (steps) => {
      const { world, streams, following, last, added, wait, hold } = follow()
      const stored: { name: string; rarity: 'Gold'; caughtAt: string }[] = [{ ...SALMON }]
      /** The catches that are stored, but not yet delivered by the stream. */
      const underway: typeof stored = []
      let release = () => {}
      let isCut = false
      await wait(11_000)
      const deliver = () => {
        const next = streams.length > 0 && !isCut ? underway.shift() : undefined
        if (next) streams[0]?.onCatch({ ...CAUGHT, ...next })
      }
      const resume = () => {
        if (!isCut) return
        isCut = false
        streams[0]?.onConnect()
      }
      for (const one of steps) {
        switch (one.step) {
          case 'catch': {
            const at = Date.now() - (one.isLate ? 86_400_000 : 0)
            const caught = {
              name: one.name,
              rarity: 'Gold',
              caughtAt: new Date(at + stored.length).toISOString(),
            } as const
            stored.push(caught)
            underway.push(caught)
            world.now = collectionOf(...stored)
            break
          }
          case 'deliver':
            deliver()
            break
          case 'cut':
            isCut = true
            streams[0]?.onDisconnect()
            break
          case 'resume':
            resume()
            break
          case 'hold':
            release()
            release = hold()
            break
          case 'release':
            release()
            break
          default:
            await wait(one.seconds * 1000)
        }
      }
      release()
      resume()
      while (underway.length > 0) deliver()
      await wait(700_000)
      const sum = Object.values(added()).reduce((total, count) => total + count, 0)
      following.stop()
      expect(last()?.profile?.gamemodes[0]?.fish.total).toBe(stored.length)
      expect(sum).toBe(stored.length - 1)
    }),
    { numRuns: 100 },
  )
})
