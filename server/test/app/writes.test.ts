import { HEADERS } from '@fish-crab/sdk/contract'
import { createFernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import { describe, expect, it } from 'vitest'
import { countAll, encryptToken, post, SALMON, write } from './catches.ts'
import { expectError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'
import { type TestService, UNLIMITED } from './test-service.ts'

const KIB = 1024

/** An endless body that counts the chunks that the service reads. */
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
    'that exceeds the limit is refused before the body ends, whatever length it declares (%j)',
    async (headers: Record<string, string>) => {
      const service = await createMemoryService(UNLIMITED)
      const { body, taken } = endless()
      await expectError(await service.request('/post/fish?name=Alex', send(body, headers)), 'payload_too_large')
      expect(taken()).toBe(17)
    },
  )

  it('that declares a length over the limit is refused without reading the body', async () => {
    const service = await createMemoryService(UNLIMITED)
    const { body, taken } = endless()
    const headers = { 'content-length': String(256 * KIB + 1) }
    await expectError(await service.request('/post/fish?name=Alex', send(body, headers)), 'payload_too_large')
    expect(taken()).toBe(0)
  })

  it('that arrives byte by byte is read completely', async () => {
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

  it('that is aborted is not stored', async () => {
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

describe('a user who is deleted while a token arrives', () => {
  it('gets user_not_found, and nothing is stored', async () => {
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

const raw = (token: string) => new Uint8Array(Buffer.from(token, 'base64url'))
const unpadded = (token: string) => token.replace(/=+$/, '')

async function changed(token: string, change: (bytes: Uint8Array) => void): Promise<string> {
  const bytes = raw(token)
  change(bytes)
  return Buffer.from(bytes).toString('base64url')
}

const BROKEN: Readonly<Record<string, (token: string, service: TestService) => Promise<BodyInit> | BodyInit>> = {
  empty: () => '',
  'a newline': () => '\n',
  'no base64': () => '{"fish":"Salmon","rarity":3}',
  'one byte 0x80': () => new Uint8Array([0x80]),
  'bytes of noise': () => new Uint8Array(200).fill(0xff),
  'raw noise behind 0x80': () => new Uint8Array(73 + 16).fill(0x80),
  'cut short': (token) => token.slice(0, 40),
  'cut by a block': (token) => Buffer.from(raw(token).slice(0, -16)).toString('base64url'),
  'wrongly padded': (token) => `${unpadded(token)}===`,
  'of the standard alphabet': () => Buffer.from(new Uint8Array(120).fill(0xfb)).toString('base64'),
  'with a space before': (token) => ` ${token}`,
  'with a space within': (token) => `${token.slice(0, 20)} ${token.slice(20)}`,
  'with two newlines': (token) => `${token}\n\n`,
  'with a byte order mark': (token) => `\ufeff${token}`,
  'in quotes': (token) => `"${token}"`,
  'of two tokens': (token) => `${token}\n${token}`,
  'of another version': (token) => changed(token, (bytes) => bytes.fill(0x81, 0, 1)),
  'with another timestamp': (token) => changed(token, (bytes) => bytes.fill(1, 1, 9)),
  'with another IV': (token) => changed(token, (bytes) => bytes.fill(1, 9, 25)),
  'with another ciphertext': (token) => changed(token, (bytes) => bytes.fill(1, 25, 41)),
  'with another MAC': (token) => changed(token, (bytes) => bytes.fill(1, bytes.length - 32)),
  'of another key': () => createFernet(generateFernetKey()).encrypt(JSON.stringify(SALMON)),
  'raw with a newline behind': (token) => new Uint8Array([...raw(token), 10]),
}

describe('a write', () => {
  it('gets the same response for every invalid token, and stores nothing', async () => {
    const service = await createMemoryService(UNLIMITED)
    const responses = new Set<string>()
    for (const [what, breakToken] of Object.entries(BROKEN)) {
      const body = await breakToken(await encryptToken(service, SALMON), service)
      for (const kind of ['fish', 'crab'] as const) {
        const { error, details, code } = await expectError(await post(service, kind, body), 'invalid_token')
        responses.add(JSON.stringify({ error, details, code }))
        expect([what, responses.size]).toEqual([what, 1])
      }
    }
    expect(await countAll(service)).toBe(0)
  })

  it('is stored next to the writes of the same second, so that these writes share pages of a database', async () => {
    const service = await createMemoryService(UNLIMITED)
    const seconds = [0, 1, 2 ** 31]
    for (const second of [...seconds, ...seconds]) {
      await post(service, 'fish', await encryptToken(service, SALMON, { now: second * 1000 }))
    }
    const keys: string[] = []
    for await (const writes of service.storage.dump(service.alex.id)) {
      for (const write of writes) if ('record' in write) keys.push(String(write.record.dedupeKey))
    }
    expect(new Set(keys).size).toBe(6)
    const starts = keys.sort().map((key) => key.slice(0, 8))
    expect(starts).toEqual(['00000000', '00000000', '00000001', '00000001', '80000000', '80000000'])
  })

  it('is refused if it names two different gamemodes, wherever the gamemodes are given', async () => {
    const service = await createMemoryService(UNLIMITED)
    const query = '?name=Alex&gamemode=survival'
    const inPayload = { ...SALMON, gamemode: 'factions' }
    await expectError(await write(service, 'fish', SALMON, { query }), 'gamemode_mismatch')
    await expectError(await write(service, 'fish', inPayload), 'gamemode_mismatch')
    await expectError(await write(service, 'fish', inPayload, { gamemode: null, query }), 'gamemode_mismatch')
    await expectError(await write(service, 'crab', { fish: 'crab', gamemode: 'factions' }), 'gamemode_mismatch')
    const twice = '?name=Alex&gamemode=earth&gamemode=survival'
    await expectError(await write(service, 'fish', SALMON, { query: twice }), 'gamemode_mismatch')
    await expectError(await write(service, 'fish', SALMON, { gamemode: null, query: twice }), 'gamemode_mismatch')
    expect(await countAll(service)).toBe(0)
  })
})

describe('a request body', () => {
  it.each([
    'application/octet-stream',
    'Application/Octet-Stream',
    'application/octet-stream; charset=utf-8',
    ' application/octet-stream ;x=y',
  ])('of type %j is treated as a token', async (type) => {
    const service = await createMemoryService()
    const response = await post(service, 'fish', await encryptToken(service, SALMON), {
      headers: { 'content-type': type },
    })
    expect(response.status).toBe(201)
  })

  it('without a content type is treated as a token', async () => {
    const service = await createMemoryService()
    const body = new Uint8Array(Buffer.from(await encryptToken(service, SALMON)))
    const headers = { [HEADERS.gamemode]: 'earth' }
    expect((await service.request('/post/fish?name=Alex', { method: 'POST', headers, body })).status).toBe(201)
  })
})
