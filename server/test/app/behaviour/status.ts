import { GAMEMODES } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import type { OpenService } from '../test-service.ts'

/** The status and the probes while all is well. */
export function statusBehaviour(open: OpenService): void {
  describe('the status', () => {
    it('is ok, with the time in UTC and the version', async () => {
      const service = await open()
      const response = await service.request('/status')
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({
        status: 'ok',
        timestamp: new Date(service.now()).toISOString(),
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        gamemodes: [...GAMEMODES],
      })
    })

    it.each(['/livez', '/readyz'])('has a probe at %s', async (path) => {
      const response = await (await open()).request(path)
      expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
    })
  })
}
