import { expect, test } from 'vitest'
import { createTalliesReader } from '../../src/storage/core/collection-tallies.ts'
import type { FoundTimes, StoredRecord, StoredSpecies } from '../../src/storage/index.ts'
import { newCollection, newEntry } from '../storage-suite/samples.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A driver with one species, whose records are read only when the test lets them. */
function createDriver() {
  const state = { mark: null as string | null, count: 1, first: 7 as number | null, last: 7 as number | null }
  const records: StoredRecord[] = []
  const stored: FoundTimes[][] = []
  const gates: (() => void)[] = []
  const counts = { reading: 0, most: 0, scans: 0 }
  return {
    state,
    records,
    stored,
    counts,
    letRead: () => {
      for (const open of gates.splice(0)) open()
    },
    get isReading() {
      return gates.length > 0
    },
    collectionTallies: async () => {
      const koi: StoredSpecies = { name: 'Koi', label: null, ...state }
      return { count: state.count, species: [koi], days: [] }
    },
    async *read() {
      counts.reading += 1
      counts.scans += 1
      counts.most = Math.max(counts.most, counts.reading)
      const found = [...records]
      await new Promise<void>((resolve) => gates.push(resolve))
      yield found
      counts.reading -= 1
    },
    setTimes: async (_: unknown, times: readonly FoundTimes[]) => {
      stored.push([...times])
      if (times[0]?.mark !== state.mark) return
      Object.assign(state, { mark: null, first: times[0].first, last: times[0].last })
    },
  }
}

const recordAt = (sequence: number, ...times: number[]): StoredRecord => {
  const entries = times.map((at) => JSON.stringify(newEntry('Koi', { at }))).join(',')
  return { sequence, id: `${sequence}`, count: times.length, entries }
}

test('1,000 removals cause one scan, which all concurrent reads share', async () => {
  const driver = createDriver()
  const read = createTalliesReader(driver)
  const collection = newCollection()
  driver.records.push(recordAt(1, 5, 9))
  for (let removal = 0; removal < 1000; removal += 1)
    Object.assign(driver.state, { mark: `m${removal}`, first: null, last: null })
  const reads = Array.from({ length: 20 }, () => read(collection))
  await expect.poll(() => driver.isReading).toBe(true)
  await turn()
  driver.letRead()
  const found = await Promise.all(reads)
  expect(found.map(({ species }) => species?.[0])).toEqual(
    Array.from({ length: 20 }, () => ({ name: 'Koi', label: null, count: 1, first: 5, last: 9 })),
  )
  await expect.poll(() => driver.stored).toEqual([[{ name: 'Koi', label: null, mark: 'm999', first: 5, last: 9 }]])
  await read(collection)
  expect(driver.counts).toMatchObject({ scans: 1 })
})

test('a scan ends although appends continue, and its result contains the entries that were appended meanwhile', async () => {
  const driver = createDriver()
  const read = createTalliesReader(driver)
  driver.records.push(recordAt(1, 5))
  Object.assign(driver.state, { mark: 'm', first: null, last: null })
  const first = read(newCollection({ owner: 'a' }))
  await expect.poll(() => driver.isReading).toBe(true)
  // The driver keeps the times of entries that were added after the mark.
  Object.assign(driver.state, { count: 2, first: 3, last: 8 })
  const second = read(newCollection({ owner: 'a' }))
  await turn()
  driver.letRead()
  expect((await first).species).toEqual([{ name: 'Koi', label: null, count: 1, first: 5, last: 5 }])
  expect((await second).species).toEqual([{ name: 'Koi', label: null, count: 2, first: 3, last: 8 }])
  expect(driver.counts).toMatchObject({ scans: 1 })
})

test('a collection is scanned by one task at a time, and each read includes all earlier removals', async () => {
  const driver = createDriver()
  const read = createTalliesReader(driver)
  const collection = newCollection()
  let removals = 0
  const reads = Array.from({ length: 20 }, async (_, at) => {
    for (let other = 0; other < at; other += 1) await turn()
    // Each removal leaves an entry with a later first time.
    removals += 1
    driver.records.splice(0, 1, recordAt(1, removals))
    Object.assign(driver.state, { mark: `m${removals}`, first: null, last: null })
    const before = removals
    return ((await read(collection)).species?.[0]?.first ?? 0) >= before
  })
  const settled = Promise.all(reads)
  let isDone = false
  void settled.finally(() => {
    isDone = true
  })
  for (let turns = 0; !isDone; turns += 1) {
    await turn()
    // By turn 40, all reads have started.
    if (turns > 40) driver.letRead()
  }
  expect(await settled).toEqual(Array.from({ length: 20 }, () => true))
  expect(driver.counts).toMatchObject({ most: 1, scans: 2 })
})

test('a scan that fails rejects all reads that wait for it, and the next read scans again', async () => {
  const driver = createDriver()
  let isFailing = true
  const read = createTalliesReader({
    ...driver,
    async *read() {
      if (isFailing) throw new Error('down')
      yield [recordAt(1, 4)]
    },
  })
  Object.assign(driver.state, { mark: 'm', first: null, last: null })
  const outcomes = await Promise.allSettled([read(newCollection({ owner: 'a' })), read(newCollection({ owner: 'a' }))])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isFailing = false
  expect((await read(newCollection({ owner: 'a' }))).species).toMatchObject([{ first: 4, last: 4 }])
})
