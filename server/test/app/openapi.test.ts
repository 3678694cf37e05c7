import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { PAGE_ROUTES, ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import { type OpenApiObject, openApiDocument } from '@fish-crab/sdk/openapi'
import { createPlatformEncoder } from '@fish-crab/server/app'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { buildInSteps } from '../../src/app/routes/docs.ts'
import { createMemoryService } from './memory-service.ts'

interface Described {
  operationId: string
  summary: string
  description?: string
  responses: Record<string, unknown>
}
type Paths = Record<string, Record<string, Described>>

async function served(): Promise<OpenApiObject> {
  const response = await (await createMemoryService()).request('/openapi.json')
  expect(response.headers.get('content-type')).toBe('application/json')
  return (await response.json()) as OpenApiObject
}

describe('the OpenAPI document', () => {
  it('is valid for all routes', async () => {
    const { valid, errors } = await new Validator().validate(openApiDocument({ version: '1.2.3' }))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it('is valid in the form that the service sends, and contains the version of the service', async () => {
    const document = await served()
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.info).toMatchObject({ version: '0.0.0-test' })
  })

  it('is built in steps of one route, so that other requests are handled in between', async () => {
    const names = Object.keys(ROUTES) as RouteName[]
    let turn = 0
    const turns: number[] = []
    const count = () => {
      turn += 1
      if (turns.length <= names.length) setImmediate(count)
    }
    setImmediate(count)
    const build: typeof openApiDocument = (options) => {
      turns.push(turn)
      return openApiDocument(options)
    }
    const document = await buildInSteps(build, { version: '1.2.3', routes: names, gamemodes: ['earth', 'moon'] })
    const whole = openApiDocument({ version: '1.2.3', gamemodes: ['earth', 'moon'] })
    expect(JSON.stringify(document)).toBe(JSON.stringify(whole))
    expect(turns).toEqual([...new Set(turns)])
    expect(turns.length).toBeGreaterThan(names.length)
  })

  it('contains each route once, and omits the HTML pages', () => {
    const paths = openApiDocument({ version: '1' }).paths as Paths
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
    const pages = ['docs', ...Object.keys(PAGE_ROUTES)]
    expect([...ids, ...pages].sort()).toEqual(Object.keys(ROUTES).sort())
  })

  it('describes the headers of each response', () => {
    const paths = openApiDocument({ version: '1' }).paths as Paths
    const headersOf = (path: string, method: string, status: number) => {
      const described = paths[path]?.[method]?.responses[status] as { readonly headers: object } | undefined
      return Object.keys(described?.headers ?? {})
    }
    const counted = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
    expect(headersOf('/get/fish', 'get', 200)).toEqual([...counted, 'etag'])
    expect(headersOf('/get/fish', 'get', 304)).toEqual([...counted, 'etag'])
    expect(headersOf('/get/fish', 'get', 429)).toEqual([...counted, 'retry-after'])
    expect(headersOf('/post/fish', 'post', 200)).toEqual([...counted, 'idempotent-replayed'])
    expect(headersOf('/post/fish', 'post', 201)).toEqual(counted)
    expect(headersOf('/get/user/key', 'get', 401)).toEqual([...counted, 'www-authenticate'])
    expect(headersOf('/readyz', 'get', 503)).toEqual(['x-request-id', 'retry-after'])
  })

  it('describes each tag, and has portable regular expressions', () => {
    const document = openApiDocument({ version: '1' })
    const tags = (document.tags as { name: string }[]).map(({ name }) => name)
    const used = Object.values(document.paths as Record<string, Record<string, { tags: string[] }>>)
    expect(new Set(used.flatMap((methods) => Object.values(methods).flatMap((operation) => operation.tags)))).toEqual(
      new Set(tags),
    )
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) =>
      String(JSON.parse(text)),
    )
    expect(patterns.length).toBeGreaterThan(0)
    for (const pattern of patterns) expect(pattern).not.toMatch(/\\p|\(\?</)
    const [name] = patterns.filter((pattern) => pattern.includes('u001f'))
    const isName = new RegExp(name ?? '')
    expect(['Salmon', '🐟 '.repeat(50), 'a\tb', 'a\u007fb'].map((text) => isName.test(text))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('follows the recommended rules of linters: it has a contact, and describes each operation', async () => {
    const { info, paths } = (await served()) as { info: { contact?: object }; paths: Paths }
    expect(info.contact).toEqual({ name: 'The operator of this service' })
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
    const missing = operations.filter(({ summary, description = '' }) => description === '' || description === summary)
    expect(missing.map(({ operationId }) => operationId)).toEqual([])
  })

  it('defines every required property', async () => {
    const undefinedIn = (value: unknown): unknown[] => {
      if (typeof value !== 'object' || value === null) return []
      const { required, properties = {} } = value as { required?: unknown; properties?: object }
      const names = Array.isArray(required) ? required.filter((name) => !Object.hasOwn(properties, name)) : []
      return [...names, ...Object.values(value).flatMap(undefinedIn)]
    }
    expect(undefinedIn(await served())).toEqual([])
  })

  it('contains exactly the routes that the service serves', async () => {
    const service = await createMemoryService()
    const paths = (await served()).paths as Paths
    for (const [name, { method, path }] of Object.entries(ROUTES)) {
      const template = path.replace(/:(\w+)/g, '{$1}')
      const described = paths[template]?.[method.toLowerCase()] !== undefined
      const { status } = await service.request(path.replace(/:\w+/g, 'nobody'), {
        method,
        headers: { 'x-api-key': service.alex.apiKey },
      })
      if (name === 'docs' || name in PAGE_ROUTES) continue
      const code = status === 404 || status === 405 ? 'unserved' : 'served'
      expect([method, path, code]).toEqual([method, path, described ? 'served' : 'unserved'])
    }
  })
})

describe('GET /openapi.json', () => {
  it('responds 304 for the current ETag, and encodes the response if the client accepts an encoding', async () => {
    const service = await createMemoryService()
    const ask = (headers: Record<string, string>) => service.request('/openapi.json', { headers })
    const plain = await ask({})
    const [etag, text] = [plain.headers.get('etag') ?? '', await plain.text()]
    expect(etag).toMatch(/^W\/"\w+"$/)
    expect(plain.headers.get('vary')).toContain('Accept-Encoding')
    const unchanged = await ask({ 'if-none-match': `"x", ${etag}` })
    expect([unchanged.status, await unchanged.text(), unchanged.headers.get('etag')]).toEqual([304, '', etag])
    for (const [coding, decode] of Object.entries({ gzip: gunzipSync, br: brotliDecompressSync })) {
      const encoded = await ask({ 'accept-encoding': coding })
      const bytes = Buffer.from(await encoded.arrayBuffer())
      expect([encoded.headers.get('content-encoding'), encoded.headers.get('etag')]).toEqual([coding, etag])
      expect(encoded.headers.get('content-length')).toBe(String(bytes.length))
      expect(bytes.length).toBeLessThan(text.length / 5)
      expect(decode(bytes).toString()).toBe(text)
    }
  })

  it('encodes the response only once, even for concurrent requests', async () => {
    const encoder = createPlatformEncoder(['gzip'])
    let encoded = 0
    const counting = {
      ...encoder,
      encode: (...args: Parameters<typeof encoder.encode>) => {
        encoded += 1
        return encoder.encode(...args)
      },
    }
    const service = await createMemoryService({ contentEncoder: counting })
    const read = () => service.request('/openapi.json', { headers: { 'accept-encoding': 'gzip' } })
    for (const response of [...(await Promise.all([read(), read(), read()])), await read()]) {
      expect(response.headers.get('content-encoding')).toBe('gzip')
    }
    expect(encoded).toBe(1)
  })
})
