import { describe, expect, it } from 'vitest'
import { bodiesBehaviour } from './behaviour/bodies.ts'
import { writesBehaviour } from './behaviour/writes.ts'
import { countAll, post, SALMON, seal } from './catches.ts'
import { expectError } from './errors.ts'
import { UNLIMITED } from './lane.ts'
import { createWorld } from './world.ts'

writesBehaviour(createWorld)
bodiesBehaviour(createWorld)

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
      const world = await createWorld(UNLIMITED)
      const { body, taken } = endless()
      await expectError(await world.request('/post/fish?name=Alex', send(body, headers)), 'payload_too_large')
      expect(taken()).toBe(17)
    },
  )

  it('that announces more than the limit is refused unread', async () => {
    const world = await createWorld(UNLIMITED)
    const { body, taken } = endless()
    const headers = { 'content-length': String(256 * KIB + 1) }
    await expectError(await world.request('/post/fish?name=Alex', send(body, headers)), 'payload_too_large')
    expect(taken()).toBe(0)
  })

  it('that comes byte by byte is the token it adds up to', async () => {
    const world = await createWorld(UNLIMITED)
    const bytes = new TextEncoder().encode(await seal(world, SALMON))
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at === bytes.length) controller.close()
        else controller.enqueue(bytes.slice(at, ++at))
      },
    })
    expect((await world.request('/post/fish?name=Alex', send(body))).status).toBe(201)
  })

  it('that breaks off stores nothing', async () => {
    const world = await createWorld(UNLIMITED)
    const bytes = new TextEncoder().encode(await seal(world, SALMON))
    let sent = false
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent) controller.error(new Error('the connection is gone'))
        else controller.enqueue(bytes)
        sent = true
      },
    })
    expect((await world.request('/post/fish?name=Alex', send(body))).status).toBeGreaterThanOrEqual(400)
    expect(await countAll(world)).toBe(0)
  })
})

describe('a user that is deleted while its token is on the way', () => {
  it('is not found, and nothing is stored for it', async () => {
    const world = await createWorld(UNLIMITED)
    const token = await seal(world, SALMON)
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
    const answer = world.request('/post/fish?name=Alex', {
      method: 'POST',
      body,
      headers: { 'x-gamemode': 'earth' },
      ...{ duplex: 'half' },
    })
    await world.storage.removeOwner(world.alex.id)
    release()
    await expectError(await answer, 'user_not_found')
    await expectError(await post(world, 'fish', token), 'user_not_found')
    expect(await countAll(world)).toBe(0)
  })
})
