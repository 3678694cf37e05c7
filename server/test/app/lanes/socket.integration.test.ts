import { describe, expect, it, onTestFinished } from 'vitest'
import { everyBehaviour } from '../behaviour/all.ts'
import { post } from '../catches.ts'
import { expectError } from '../errors.ts'
import { UNLIMITED } from '../lane.ts'
import { createSocketWorld } from './socket-world.ts'

describe('over a socket', () => {
  everyBehaviour(createSocketWorld)

  it('a connection that is kept through many refused bodies piles nothing up', async () => {
    const warnings: string[] = []
    const keep = ({ name }: Error) => warnings.push(name)
    process.on('warning', keep)
    onTestFinished(() => void process.off('warning', keep))
    const world = await createSocketWorld(UNLIMITED)
    for (let count = 0; count < 15; count += 1) {
      await expectError(await post(world, 'fish', new Uint8Array(300 * 1024)), 'payload_too_large')
      expect((await world.request('/status')).status).toBe(200)
    }
    expect(warnings).toEqual([])
  })
})
