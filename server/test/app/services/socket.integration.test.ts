import { describe, expect, it, onTestFinished } from 'vitest'
import { everyBehaviour } from '../behaviour/all.ts'
import { post } from '../catches.ts'
import { expectError } from '../errors.ts'
import { UNLIMITED } from '../test-service.ts'
import { createSocketService } from './socket-service.ts'

describe('over a socket', () => {
  everyBehaviour(createSocketService, { runs: 10 })

  it('a keep-alive connection with many refused bodies causes no process warnings', async () => {
    const warnings: string[] = []
    const keep = ({ name }: Error) => warnings.push(name)
    process.on('warning', keep)
    onTestFinished(() => void process.off('warning', keep))
    const service = await createSocketService(UNLIMITED)
    for (let count = 0; count < 15; count += 1) {
      await expectError(await post(service, 'fish', new Uint8Array(300 * 1024)), 'payload_too_large')
      expect((await service.request('/status')).status).toBe(200)
    }
    expect(warnings).toEqual([])
  })
})
