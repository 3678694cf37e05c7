import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CreatedUser, type FishCollection, HEADERS, LIMITS, ROUTES } from '@fish-crab/sdk/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../scripts/test-support/redis-server.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { figuresOf, openDescriptors, untilIdle } from './process-figures.ts'
import { administrator, logIn, plainFishPath, postToken, readFish, tokenOf } from './requests.ts'
import { openSlowly } from './slow-reader.ts'

const ENTRIES = 100_000
const MEGABYTE = 1024 * 1024
const READERS = 8
/** Maximum memory for all slow readers, in megabytes. The unread responses have more than 100 megabytes. */
const GROWTH_MB = 48
/**
 * Maximum growth of the resident memory after 40 disconnected clients, in megabytes. The process may retain freed
 * memory.
 */
const RESIDENT_MB = 128
/**
 * Maximum growth of the live memory after 40 disconnected clients, in megabytes. Each client had about half a megabyte
 * in transit.
 */
const LEAK_MB = 32
/** Limits the heap to 96 megabytes, so that garbage is collected soon. The idle server uses a quarter of this size. */
const SMALL_HEAP = '--max-old-space-size=96'
const FULL_PATH = `${ROUTES.getFish.path}?name=Alex&gamemode=earth&detail=full`

// The names are long, so that the response exceeds the megabytes that the kernel buffers for a slow client.
const nameOf = (index: number) => `fish ${index} `.padEnd(100, '~')
const allNames = Array.from({ length: ENTRIES }, (_, index) => nameOf(index))
const namesIn = (text: string) => (JSON.parse(text) as FishCollection).fish.map(({ name }) => name)

describe('a collection of 100,000 entries', () => {
  let folder: string
  let fleet: Fleet
  let user: CreatedUser
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fish-large-'))
    fleet = await startFleet(`file:${folder}`, 1, { NODE_OPTIONS: SMALL_HEAP })
    const chief = administrator((await logIn(fleet.at(0))).body.token)
    user = await chief.createUser(fleet.at(0), 'Alex')
    for (let from = 0; from < ENTRIES; from += LIMITS.entriesPerWrite) {
      const names = allNames.slice(from, from + LIMITS.entriesPerWrite)
      const fish = names.map((name) => ({ name, rarity: 1 }))
      const { status } = await chief.ask(fleet.at(0), 'POST', plainFishPath('Alex'), { fish })
      if (status !== 201) throw new Error(`The catches from ${from} on were answered with ${status}.`)
    }
  })
  afterAll(async () => {
    await fleet?.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const open = (headers: Readonly<Record<string, string>> = {}) =>
    openSlowly(fleet.at(0), FULL_PATH, { [HEADERS.apiKey]: user.apiKey, ...headers })

  test('is streamed to slow readers completely, in order, and in bounded memory, and the streams do not delay writes', async () => {
    await (await open()).readOn()
    const before = (await figuresOf(fleet.at(0))).live
    let least = Number.POSITIVE_INFINITY
    const readers = await Promise.all([
      open({ 'accept-encoding': 'gzip' }),
      ...Array.from({ length: READERS - 1 }, () => open()),
    ])
    for (let step = 0; step < 4; step += 1) {
      // No client reads now, so the server must stop reading the storage and become idle.
      await untilIdle(fleet.at(0))
      // Compare the minimum of the samples, since larger samples may include garbage.
      least = Math.min(least, (await figuresOf(fleet.at(0))).live)
      // The write is acknowledged before any reader continues.
      const { status } = await postToken(fleet.at(0), user, await tokenOf(user, `late ${step}`))
      expect(status).toBe(201)
      await Promise.all(readers.map((reader) => reader.readSome(MEGABYTE)))
    }
    // Finish one reader at a time. Concurrent readers would produce garbage faster than the small heap is collected.
    const texts: string[] = []
    for (const reader of readers) texts.push(await reader.readOn())

    expect(readers[0]?.response.headers['content-encoding']).toBe('gzip')
    for (const text of texts) {
      expect(text.length).toBeGreaterThan(20 * MEGABYTE)
      // The response omits catches that were stored during the read.
      expect(namesIn(text)).toEqual(allNames)
    }
    expect(least - before).toBeLessThan(GROWTH_MB)
  })

  test('has each entry once and in order if it is read in pages', async () => {
    const names: string[] = []
    let query = `&limit=${LIMITS.pageSize}`
    while (query) {
      const { body } = await readFish(fleet.at(0), user, { query })
      names.push(...body.fish.map(({ name }) => name))
      const { nextCursor } = body
      query = nextCursor ? `&limit=${LIMITS.pageSize}&cursor=${encodeURIComponent(nextCursor)}` : ''
    }
    expect(names.slice(0, ENTRIES)).toEqual(allNames)
  })

  test('causes no memory leak if 60 clients disconnect midway', async () => {
    const hangUp = async (index: number) => {
      const reader = await open(index % 2 === 0 ? {} : { 'accept-encoding': 'gzip' })
      await reader.readSome(64 * 1024)
      reader.leave()
    }
    const round = async (clients: number) => {
      for (let index = 0; index < clients; index += 5) {
        await Promise.all([0, 1, 2, 3, 4].map((step) => hangUp(index + step)))
      }
      return figuresOf(fleet.at(0))
    }
    const figures = [await round(20)]
    const descriptors = await openDescriptors(fleet.at(0))
    for (let further = 0; further < 2; further += 1) figures.push(await round(20))
    const [before, ...after] = figures

    expect(Math.min(...after.map(({ live }) => live)) - (before?.live ?? 0)).toBeLessThan(LEAK_MB)
    expect(Math.min(...after.map(({ resident }) => resident)) - (before?.resident ?? 0)).toBeLessThan(RESIDENT_MB)
    await until(async () => ((await openDescriptors(fleet.at(0))) ?? 0) <= (descriptors ?? 0))
  })
})
