import { describe, expect, it } from 'vitest'
import { bodiesBehaviour } from './behaviour/bodies.ts'
import { writesBehaviour } from './behaviour/writes.ts'
import { countAll, encryptToken, post, SALMON } from './catches.ts'
import { expectError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

writesBehaviour(createMemoryService)
bodiesBehaviour(createMemoryService)

const KIB = 1024

/** A body of endless chunks that remembers how many were taken. */
function endless(): { body: ReadableStream<Uint8Array>; taken: () => number } {
  let taken = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        taken += 1
        controller.enqueue(new Uint8Array(16 * KIB).fill(65))
      },
    },
    { highWaterMark: 0 },
  )
  return { body, taken: () => taken }
}

describe('a streamed body', () => {
  const send = (body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    body,
    headers: { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth', ...headers },
    ...{ duplex: 'half' },
  })

  it.each([{}, { 'content-length': '5' }, { 'content-length': 'many' }])(
    'that is too large is refused before it ends, whatever its length claims (%j)',
    async (headers: Record<string, string>) => {
      const service = await createMemoryService(UNLIMITED)
      const { body, taken } = endless()
      await expectError(await service.request('/post/fish?name=Alex', send(body, headers)), 'payload_too_large')
      expect(taken()).toBe(17)
    },
  )

  it('that announces more than the limit is refused unread', async () => {
    const service = await createMemoryService(UNLIMITED)
    const { body, taken } = endless()
    const headers = { 'content-length': String(256 * KIB + 1) }
    await expectError(await service.request('/post/fish?name=Alex', send(body, headers)), 'payload_too_large')
    expect(taken()).toBe(0)
  })

  it('that comes byte by byte is the token it adds up to', async () => {
    const service = await createMemoryService(UNLIMITED)
    const bytes = new TextEncoder().encode(await encryptToken(service, SALMON))
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at === bytes.length) controller.close()
        else controller.enqueue(bytes.slice(at, ++at))
      },
    })
    expect((await service.request('/post/fish?name=Alex', send(body))).status).toBe(201)
  })

  it('that breaks off stores nothing', async () => {
    const service = await createMemoryService(UNLIMITED)
    const bytes = new TextEncoder().encode(await encryptToken(service, SALMON))
    let sent = false
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent) controller.error(new Error('the connection is gone'))
        else controller.enqueue(bytes)
        sent = true
      },
    })
    expect((await service.request('/post/fish?name=Alex', send(body))).status).toBeGreaterThanOrEqual(400)
    expect(await countAll(service)).toBe(0)
  })
})

describe('a user that is deleted while its token is on the way', () => {
  it('is not found, and nothing is stored for it', async () => {
    const service = await createMemoryService(UNLIMITED)
    const token = await encryptToken(service, SALMON)
    const stuck = new TextEncoder().encode(token)
    let release = () => {}
    const waiting = new Promise<void>((resolve) => {
      release = resolve
    })
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await waiting
        controller.enqueue(stuck)
        controller.close()
      },
    })
    const response = service.request('/post/fish?name=Alex', {
      method: 'POST',
      body,
      headers: { 'x-gamemode': 'earth' },
      ...{ duplex: 'half' },
    })
    await service.storage.removeOwner(service.alex.id)
    release()
    await expectError(await response, 'user_not_found')
    await expectError(await post(service, 'fish', token), 'user_not_found')
    expect(await countAll(service)).toBe(0)
  })
})
