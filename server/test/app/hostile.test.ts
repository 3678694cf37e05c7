import { expect, onTestFinished, test, vi } from 'vitest'
import { hostileBehaviour } from './behaviour/hostile.ts'
import { expectError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'

hostileBehaviour(createMemoryService)

test('a path of thousands of malformed parts costs one error, which takes as long as a short request', async () => {
  const service = await createMemoryService()
  const decode = vi.spyOn(globalThis, 'decodeURIComponent')
  onTestFinished(() => decode.mockRestore())
  for (const part of ['%', '%ff', '%41/%ff']) {
    const response = await service.request(`/${part}`.repeat(4000))
    expect(response.status, part).toBe(404)
    const errors = decode.mock.results.filter(({ type }) => type === 'throw')
    expect(errors.length, part).toBeLessThanOrEqual(1)
    decode.mockClear()
  }
})

test.each(['%ff', 'a', 'name=Alex'])(
  'a query of thousands of %s is refused without being decoded',
  async (parameter) => {
    const service = await createMemoryService()
    const parse = vi.spyOn(globalThis, 'URLSearchParams')
    onTestFinished(() => parse.mockRestore())
    await expectError(await service.request(`/demo/fish?${`${parameter}&`.repeat(4000)}`), 'malformed_request')
    expect(parse).not.toHaveBeenCalled()
  },
)
