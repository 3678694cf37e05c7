import { describe, expect, it } from 'vitest'
import type { Lane } from '../lane.ts'

/** The status and the probes while all is well. */
export function statusBehaviour(open: Lane): void {
  describe('the status', () => {
    it('is ok, with the time in UTC and the version', async () => {
      const world = await open()
      const response = await world.request('/status')
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({
        status: 'ok',
        timestamp: new Date(world.now()).toISOString(),
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      })
    })

    it.each(['/livez', '/readyz'])('has a probe at %s', async (path) => {
      const response = await (await open()).request(path)
      expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
    })
  })
}
