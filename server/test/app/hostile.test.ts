import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { HEADERS, LIMITS } from '@fish-crab/sdk/contract'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { asRoot } from './administration.ts'
import { countAll, write } from './catches.ts'
import { expectError, readError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'
import { ADDRESS_HEADER, basic, type TestService, UNLIMITED } from './test-service.ts'

test('a path of thousands of malformed parts is decoded at most once', async () => {
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

test('only the first hundred items of a list in a header are read', async () => {
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
  'a query of thousands of repeated %s is refused without decoding',
  async (parameter) => {
    const service = await createMemoryService()
    const parse = vi.spyOn(globalThis, 'URLSearchParams')
    onTestFinished(() => parse.mockRestore())
    await expectError(await service.request(`/demo/fish?${`${parameter}&`.repeat(4000)}`), 'malformed_request')
    expect(parse).not.toHaveBeenCalled()
  },
)

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'MKCOL'] as const
const PATHS = [
  ...['/status', '/demo/fish', '/demo/crab', '/get/fish', '/get/crab', '/get/user/key', '/post/fish', '/post/crab'],
  ...['/admin/login', '/admin/users', '/admin/users/Alex', '/admin/users/Alex/reset', '/admin/users//reset'],
  ...['/livez', '/readyz', '/openapi.json', '/', '/v1', '/v1/', '/admin', '/admin/', '/admin/users/%', '/__proto__'],
] as const
const TEXTS = [
  '',
  'Alex',
  'earth',
  'full',
  '1',
  '0',
  '-1',
  '1e999',
  '%',
  '%00',
  '%ff',
  '%ed%a0%80',
  '[]',
  '__proto__',
  '../..',
  '💀',
  "'--",
]

const visible = fc.string({
  // DEL is excluded, since no HTTP client sends DEL.
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 40,
})
const pair = fc.tuple(
  fc.constantFrom('name', 'gamemode', 'limit', 'cursor', 'detail', 'search', 'constructor'),
  fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary', maxLength: 20 })),
)
const query = fc.array(pair, { maxLength: 4 }).map((pairs) => {
  const text = pairs.map(([name, value]) => `${name}=${value.replace(/[#\s\p{Cs}]/gu, '')}`).join('&')
  return text && `?${text}`
})
const pathTail = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  fc.constantFrom('/', '//', '/.', '/..', '/%2e%2e', '%', '/%', '%2f', ';x', '/x'),
  fc.webPath(),
)
const CREDENTIALS = [
  basic('Alex', 'alex-password'),
  basic('', ''),
  basic('', 'x'),
  basic('root', 'root-password'),
  basic('x\0', 'é'),
]
const some = (...values: string[]) => fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, visible)
const headers = fc.record(
  {
    authorization: some(...CREDENTIALS, 'Bearer a.b.c', 'Basic', 'Bearer'),
    'content-type': some('application/json', 'application/json', 'application/octet-stream', 'text/plain'),
    [HEADERS.gamemode]: some('earth', 'moon', ''),
    [HEADERS.apiKey]: visible,
    [HEADERS.requestId]: visible,
    'content-encoding': some('gzip', ''),
    origin: some('null', '*', 'https://a.example'),
    'access-control-request-method': some('GET', 'POST', 'X'),
    [ADDRESS_HEADER]: some('::ffff:1.2.3.4', '', ':', '2001:db8::1'),
    'if-none-match': some('*', '"x"'),
    'accept-encoding': some('gzip', 'br', '*'),
    range: some('bytes=0-1'),
  },
  { requiredKeys: [] },
)
const body = fc.oneof(
  fc.json(),
  fc.uint8Array({ maxLength: 200 }),
  fc.constantFrom('', '{', '[]', '{"username":"","password":""}', '{"name":"Bob"}', '{"type":"fernet"}'),
)

async function expectWellFormed(response: Response, method: string): Promise<void> {
  expect(response.status).toBeLessThan(500)
  expect(response.headers.get(HEADERS.requestId)).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
  const bytes = Buffer.from(await response.clone().arrayBuffer())
  const decode = { gzip: gunzipSync, br: brotliDecompressSync }[String(response.headers.get('content-encoding'))]
  const text = String(decode && bytes.length > 0 ? decode(bytes) : bytes)
  if (method === 'HEAD' || response.status === 204 || response.status === 304) expect(text).toBe('')
  else if (response.status >= 400) await readError(response)
  else expect(() => JSON.parse(text)).not.toThrow()
}

async function fuzz(service: TestService, authorization?: string): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        method: fc.constantFrom(...METHODS),
        path: fc.constantFrom(...PATHS),
        pathTail,
        query,
        headers,
        body,
      }),
      async (request) => {
        const { method } = request
        const init: RequestInit = {
          method,
          headers: { ...(authorization ? { authorization } : {}), ...request.headers },
        }
        if (method !== 'GET' && method !== 'HEAD') init.body = new Uint8Array(Buffer.from(request.body))
        await expectWellFormed(await service.request(request.path + request.pathTail + request.query, init), method)
      },
    ),
    { numRuns: 600 },
  )
}

describe('hostile input', () => {
  it('in random methods, paths, headers and bodies always gets a well-formed response with a status below 500', async () => {
    const service = await createMemoryService(UNLIMITED)
    await fuzz(service)
    expect(await countAll(service)).toBe(0)
  }, 20_000)

  it('that is sent with a valid session always gets a well-formed response, too', async () => {
    const service = await createMemoryService({ ...UNLIMITED, adminRateLimit: UNLIMITED.rateLimit })
    const login = { username: service.root.username, password: service.root.password }
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(login) }
    const { token } = (await (await service.request('/admin/login', init)).json()) as { token: string }
    await fuzz(service, `Bearer ${token}`)
  }, 20_000)

  it.each(['[', '{"a":', '[{"fish":', '"'])('that consists of 256 KiB of %s is refused', async (piece) => {
    const service = await createMemoryService(UNLIMITED)
    const text = piece.repeat(Math.floor(LIMITS.bodyBytes / piece.length))
    const login = { method: 'POST', headers: { 'content-type': 'application/json' }, body: text }
    await expectError(await service.request('/admin/login', login), 'invalid_payload')
    // The payload must be shorter than the limit, since base64 makes the token a third longer.
    const payload = text.slice(0, Math.floor(LIMITS.bodyBytes * 0.7))
    await expectError(await write(service, 'fish', payload), 'invalid_payload')
  })

  it('that is deeply nested valid JSON is refused, or stored without unknown fields', async () => {
    const service = await createMemoryService(UNLIMITED)
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    await expectError(await write(service, 'fish', deep), 'invalid_payload')
    await expectError(await write(service, 'fish', `{"fish":${deep}}`), 'invalid_payload')
    await expectError(await write(service, 'fish', `{"fish":"Cod","rarity":${deep}}`), 'invalid_payload')
    expect(await countAll(service)).toBe(0)
    expect((await write(service, 'fish', `{"fish":"Cod","rarity":1,"x":${deep}}`)).status).toBe(201)
  })

  it('that contains many invalid entries gets a response that is smaller than the maximum size of a request', async () => {
    const service = await createMemoryService(UNLIMITED)
    const payload = { fish: Array.from({ length: 500 }, () => ({ name: '', rarity: 0, caughtAt: '' })) }
    const response = await write(service, 'fish', payload)
    expect(response.status).toBe(400)
    expect((await response.text()).length).toBeLessThan(LIMITS.bodyBytes)
  })

  it('in path parameters is treated as data', async () => {
    const admin = await asRoot(await createMemoryService())
    for (const name of ['..%2f..%2fadmin', 'Alex%2freset', '%2e%2e', 'Alex%00', 'Alex%3Fx', '%41lex%20']) {
      const response = await admin('POST', `/admin/users/${name}/reset`, { type: 'password' })
      expect([name, response.status]).toEqual([name, 404])
    }
  })
})
