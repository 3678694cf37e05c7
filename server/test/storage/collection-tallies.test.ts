import { expect, test } from 'vitest'
import { createTalliesReader } from '../../src/storage/core/collection-tallies.ts'
import { newCollection } from '../../src/storage-conformance/samples.ts'

const entry = (name: string) => `{"name":"${name}","caughtAt":"2026-01-31T12:00:00Z"}`

test('a collection is counted by only one task at a time, and each read includes all earlier records', async () => {
  const collection = newCollection()
  let [version, reading, most, counts] = [0, 0, 0, 0]
  const gates: (() => void)[] = []
  const read = createTalliesReader({
    find: async () => undefined,
    version: async () => String(version),
    async *read() {
      reading += 1
      counts += 1
      most = Math.max(most, reading)
      const entries = entry(`Fish ${version}`)
      await new Promise<void>((resolve) => gates.push(resolve))
      yield [{ sequence: 1, id: 'a', count: 1, entries }]
      reading -= 1
    },
    store: async () => {},
  })
  const reads = Array.from({ length: 20 }, async (_, at) => {
    // Each read starts after another change of the collection.
    for (let turn = 0; turn < at; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
    version += 1
    const before = version
    const { species } = await read(collection)
    return Number(species?.[0]?.name.split(' ')[1]) >= before
  })
  const settled = Promise.all(reads)
  let isDone = false
  void settled.finally(() => {
    isDone = true
  })
  for (let turn = 0; !isDone; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    // By turn 40, all reads have started.
    if (turn > 40) for (const open of gates.splice(0)) open()
  }
  expect(await settled).toEqual(Array.from({ length: 20 }, () => true))
  expect({ most, counts }).toEqual({ most: 1, counts: 2 })
})
