import { describe, expect, it } from 'vitest'
import { write } from '../catches.ts'
import { type Lane, UNLIMITED } from '../lane.ts'

const READ = '/get/fish?name=Alex&gamemode=earth'

/** Conditional reads. */
export function cachingBehaviour(open: Lane): void {
  describe('a conditional read', () => {
    it('carries an ETag, and is 304 without a body while nothing changed', async () => {
      const world = await open(UNLIMITED)
      await write(world, 'fish', { fish: 'Cod', rarity: 1 })
      const etag = (await world.request(READ)).headers.get('etag')
      expect(etag).toMatch(/^(W\/)?"[^"]+"$/)
      const again = await world.request(READ, { headers: { 'if-none-match': String(etag) } })
      expect(again.status).toBe(304)
      expect(await again.text()).toBe('')
      expect(again.headers.get('etag')).toBe(etag)
    })

    it('is 200 with another ETag once a fish was caught', async () => {
      const world = await open(UNLIMITED)
      const etag = String((await world.request(READ)).headers.get('etag'))
      await write(world, 'fish', { fish: 'Cod', rarity: 1 })
      const changed = await world.request(READ, { headers: { 'if-none-match': etag } })
      expect(changed.status).toBe(200)
      expect(changed.headers.get('etag')).not.toBe(etag)
      expect(changed.headers.get('etag')).not.toBeNull()
    })
  })
}
