import { HEADERS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { expectError } from '../errors.ts'
import { type OpenService, UNLIMITED } from '../test-service.ts'

const READ = '/get/fish?name=Alex&gamemode=earth'

/** What all responses have in common. */
export function answersBehaviour(open: OpenService): void {
  describe('responses in general', () => {
    it.each(['a', 'A.b_c-9', 'x'.repeat(64)])('keep the request id %s of the client', async (id) => {
      const service = await open()
      const response = await service.request('/status', { headers: { [HEADERS.requestId]: id } })
      expect(response.headers.get(HEADERS.requestId)).toBe(id)
    })

    it.each(['x'.repeat(65), 'a b', 'a\tb', 'a/b', '<b>', 'é', 'a,b', ''])(
      'replace the request id %j, which is not of the kept shape',
      async (id) => {
        const service = await open()
        const response = await service.request('/nowhere', { headers: { [HEADERS.requestId]: id } })
        expect(response.headers.get(HEADERS.requestId)).toMatch(/^[\w.-]{1,64}$/)
        expect(response.headers.get(HEADERS.requestId)).not.toBe(id)
        await expectError(response, 'not_found')
      },
    )

    it('give every request an id of its own', async () => {
      const service = await open()
      const ids = await Promise.all(
        ['/status', '/status', '/livez', '/nowhere', '/admin/users'].map(async (path) => {
          return (await service.request(path)).headers.get(HEADERS.requestId)
        }),
      )
      expect(new Set(ids).size).toBe(5)
      expect(ids).not.toContain(null)
    })

    it.each([
      '/',
      '/nope',
      '/get',
      '/get/fishes',
      '/get/fish/x',
      '/GET/FISH',
      '/v1',
      '/v2/status',
      '/v1/v1/status',
      '/get%2Ffish',
    ])('say not_found for %s, which nobody serves', async (path) => {
      const service = await open()
      await expectError(await service.request(path), 'not_found')
    })

    it.each([
      ['/get/fish', ['GET', 'HEAD'], 'POST'],
      ['/status', ['GET', 'HEAD'], 'DELETE'],
      ['/post/fish', ['POST'], 'GET'],
      ['/post/crab/', ['POST'], 'HEAD'],
      ['/v1/post/crab', ['POST'], 'PUT'],
      ['/get/user/key', ['GET', 'HEAD'], 'PATCH'],
      ['/demo/crab', ['GET', 'HEAD'], 'PROPFIND'],
      ['/get/crab', ['GET', 'HEAD'], 'OPTIONS'],
      ['/admin/login', ['POST'], 'GET'],
      ['/admin/users', ['GET', 'HEAD', 'POST'], 'DELETE'],
      ['/livez', ['GET', 'HEAD'], 'POST'],
      ['/openapi.json', ['GET', 'HEAD'], 'PUT'],
    ])('say method_not_allowed on %s with Allow %j for %s', async (path, allowed, method) => {
      const service = await open()
      const response = await service.request(path, { method })
      expect(response.headers.get('allow')?.split(', ').sort()).toEqual(allowed)
      if (method === 'HEAD') expect(response.status).toBe(405)
      else await expectError(response, 'method_not_allowed')
    })

    it.each(['/status', READ, '/demo/fish', '/livez', '/openapi.json', '/get/fish'])(
      'to HEAD on %s are those to GET without the body',
      async (path) => {
        const service = await open()
        const get = await service.request(path)
        const head = await service.request(path, { method: 'HEAD' })
        expect(head.status).toBe(get.status)
        expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
        expect(await head.text()).toBe('')
      },
    )

    it.each([
      `/v1${READ}`,
      '/v1/get/fish/?name=Alex&gamemode=earth',
      '//get//fish?name=Alex&gamemode=earth',
      '/get/%66ish?name=Alex&gamemode=earth',
      '/%67et/./fish?name=Alex&gamemode=earth',
      '/demo/../get/fish?name=Alex&gamemode=earth',
      '/get/fish?name=%41lex&gamemode=%65arth',
      '/get/fish?name=Alex&name=ALEX&gamemode=earth&x=%ff',
    ])('to %s are those of the plain path', async (path) => {
      const service = await open(UNLIMITED)
      const response = await service.request(path)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({ user: 'Alex', fish: [] })
    })

    it('carry JSON with its length', async () => {
      const service = await open()
      const response = await service.request(READ)
      expect(response.headers.get('content-type')).toBe(MEDIA_TYPES.json)
      expect(response.headers.get('content-length')).toBe(String((await response.text()).length))
    })
  })
}
