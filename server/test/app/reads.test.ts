import { wrapDriver } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'
import { createMemoryDriver } from '../../src/storage/memory/memory.ts'
import { write } from './catches.ts'
import { expectError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

/** A write of about 60 KB. The response to a read is streamed if the collection contains two such writes. */
const LARGE = { fish: Array.from({ length: 500 }, () => ({ name: '~'.repeat(90), rarity: 1 })) }

describe('a read whose storage fails halfway', () => {
  it('is aborted instead of ending as if it were complete', async () => {
    const storage = createMemoryDriver()
    let chunks = 0
    const failing = wrapDriver({
      ...storage,
      async *read(...args: Parameters<typeof storage.read>) {
        for await (const chunk of storage.read(...args)) {
          for (const record of chunk) {
            chunks += 1
            if (chunks > 6) throw new Error('the disk is gone')
            yield [record]
          }
        }
      },
    })
    const service = await createMemoryService({ ...UNLIMITED, storage: failing })
    for (let count = 0; count < 9; count += 1) await write(service, 'fish', LARGE)
    const response = await service.request('/get/fish?name=Alex&gamemode=earth')
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  })

  it('stops when the client disconnects', async () => {
    const storage = createMemoryDriver()
    let closed = 0
    const watched = wrapDriver({
      ...storage,
      async *read(...args: Parameters<typeof storage.read>) {
        try {
          for await (const chunk of storage.read(...args)) for (const record of chunk) yield [record]
        } finally {
          closed += 1
        }
      },
    })
    const service = await createMemoryService({ ...UNLIMITED, storage: watched })
    for (let count = 0; count < 9; count += 1) await write(service, 'fish', LARGE)
    const response = await service.request('/get/fish?name=Alex&gamemode=earth')
    expect(closed).toBe(0)
    await response.body?.cancel()
    expect(closed).toBe(1)
  })
})

describe('a read', () => {
  it.each([
    ['detail', 'everything'],
    ['detail', 'FULL'],
    ['limit', '0'],
    ['limit', '1001'],
    ['limit', '-1'],
    ['limit', '2.5'],
    ['limit', 'ten'],
    ['limit', ''],
    ['limit', 'Infinity'],
    ['limit', '9'.repeat(400)],
    ['limit', '1e2'],
    ['limit', '0x10'],
    ['limit', '%2010'],
    ['limit', '10%20'],
    ['limit', '%2B5'],
    ['limit', '5.0'],
    ['limit', '%D9%A5'],
    ['limit', '5&limit=6'],
    ['detail', 'full&detail=all'],
    ['cursor', ''],
    ['cursor', 'x'],
    ['cursor', '1.'],
    ['cursor', '.1'],
    ['cursor', '1.1.1'],
    ['cursor', '-1.0'],
    ['cursor', '1.0%00'],
    ['cursor', 'zzzzzzzzzzz.0'],
    ['cursor', 'A.0'],
    ['cursor', '1'.repeat(600)],
    ['cursor', '../../etc'],
  ])(
    'with the invalid parameter %s=%s gets invalid_query, and the error names the parameter',
    async (parameter, value) => {
      const service = await createMemoryService()
      const limit = parameter === 'cursor' ? '&limit=5' : ''
      const response = await service.request(`/get/fish?name=Alex&gamemode=earth&${parameter}=${value}${limit}`)
      const { details } = await expectError(response, 'invalid_query')
      expect(details?.map(({ path }) => path)).toEqual([parameter])
    },
  )
})
