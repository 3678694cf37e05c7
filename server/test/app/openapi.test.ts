import { ROUTES } from '@fish-crab/sdk/contract'
import { type OpenApiObject, openApiDocument } from '@fish-crab/sdk/openapi'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { createWorld } from './world.ts'

type Paths = Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>

async function served(): Promise<OpenApiObject> {
  const response = await (await createWorld()).request('/openapi.json')
  expect(response.headers.get('content-type')).toBe('application/json')
  return (await response.json()) as OpenApiObject
}

describe('the OpenAPI document', () => {
  it('of all routes is valid', async () => {
    const { valid, errors } = await new Validator().validate(openApiDocument({ version: '1.2.3' }))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it('as served is valid, and names the version of the service', async () => {
    const document = await served()
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.info).toMatchObject({ version: '0.0.0-test' })
  })

  it('of all routes names each of them once', () => {
    const paths = openApiDocument({ version: '1' }).paths as Paths
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
    expect(ids.sort()).toEqual(Object.keys(ROUTES).sort())
  })

  it('as served names exactly what is answered', async () => {
    const world = await createWorld()
    const paths = (await served()).paths as Paths
    for (const { method, path } of Object.values(ROUTES)) {
      const template = path.replace(/:(\w+)/g, '{$1}')
      const described = paths[template]?.[method.toLowerCase()] !== undefined
      const { status } = await world.request(path.replace(/:\w+/g, 'nobody'), {
        method,
        headers: { 'x-api-key': world.alex.apiKey },
      })
      const code = status === 404 || status === 405 ? 'unserved' : 'served'
      expect([method, path, code]).toEqual([method, path, described ? 'served' : 'unserved'])
    }
  })
})
