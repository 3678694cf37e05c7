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

test('of a list of thousands in a header, a hundred are read', async () => {
  const service = await createMemoryService()
  const path = '/get/fish?name=Alex&gamemode=earth'
  const tag = (await service.request(path)).headers.get('etag') ?? ''
  for (const [others, status, coding] of [
    [99, 304, 'gzip'],
    [100, 200, null],
  ] as const) {
    const before = 'x,'.repeat(others)
    expect((await service.request(path, { headers: { 'if-none-match': before + tag } })).status).toBe(status)
    const response = await service.request('/openapi.json', { headers: { 'accept-encoding': `${before}gzip` } })
    expect(response.headers.get('content-encoding')).toBe(coding)
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
