import { HEADERS, LIMITS, MEDIA_TYPES, PAGE_TYPES } from '@fish-crab/sdk/contract'
import { GAMEMODE, post } from '../context/catches.ts'
import { canStream, mayBufferBodies } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'
import { expectOrigin } from './routes.ts'

const VALID_IDS = ['a', 'A.b_c-9', 'x'.repeat(64)]
const INVALID_IDS = ['x'.repeat(65), 'a b', 'a/b', '<b>', 'a,b', '']
const UNKNOWN_PATHS = ['/nope', '/nowhere/%', '/get', '/get/fish/x', '/v2/status', '/v1/v1/status']
const PATH_VARIANTS = ['/v1/get/fish', '/get/fish/', '//get//fish', '/get/%66ish', '/v1//%67et/fish/']

export const responsesChecks = checksOf('responses', [
  check(
    'request-id',
    "A client's request id of 1 to 64 plain characters is kept; any other is replaced by a unique id.",
    async (t) => {
      const generated: string[] = []
      for (const own of [...VALID_IDS, ...INVALID_IDS]) {
        const response = await t.request('/nowhere', { headers: { [HEADERS.requestId]: own } })
        const id = expect.requestId(response)
        expect.same(id === own, VALID_IDS.includes(own), `whether the request id "${own}" is kept`, response)
        if (id !== own) generated.push(id)
      }
      expect.same(new Set(generated).size, INVALID_IDS.length, 'the number of different request ids')
    },
  ),
  check('not-found', 'An unknown path responds 404 not_found; GET / may return an HTML page.', async ({ request }) => {
    for (const path of UNKNOWN_PATHS) expect.error(await request(path), 'not_found')
    const root = await request('/')
    if (root.status === 200) expect.type(root, PAGE_TYPES.html)
    else expect.error(root, 'not_found')
    const head = await request('/nope', { method: 'HEAD' })
    expect.status(head, 404)
    expect.noBody(head)
  }),
  ...PATH_VARIANTS.map((path, index) =>
    check(`path-variant-${index + 1}`, `The path ${path} is equivalent to the plain path.`, async (t) => {
      const { name } = await t.user()
      const response = await t.request(`${path}?name=${name}&gamemode=earth`)
      expect.same(expect.json(response).user, name, '"user"', response)
    }),
  ),
])

export const corsChecks = checksOf('cors', [
  check('page-reads-errors', 'An error response also allows a configured origin.', async (t) =>
    expectOrigin(await t.fromOrigin('/nowhere', t.allowedOrigin()), t.allowedOrigin()),
  ),
  check('page-is-no-authentication', 'A configured origin does not replace authentication.', async (t) => {
    const { name } = await t.user()
    expect.status(await t.fromOrigin(`/get/user/key?name=${name}`, t.allowedOrigin()), 401)
    expect.status(await t.fromOrigin('/admin/users', t.allowedOrigin()), 401)
  }),
])

const CHUNK_BYTES = 64 * 1024
const ENDLESS_MS = 3000

/** A body that exceeds the limit and is streamed until `end` is called. */
function endlessBody() {
  let sent = 0
  const ended = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent <= LIMITS.bodyBytes + CHUNK_BYTES) {
        sent += CHUNK_BYTES
        controller.enqueue(new Uint8Array(CHUNK_BYTES).fill(0x41))
        return
      }
      await ended.promise
      controller.error(new Error('The upload was cancelled.'))
    },
    cancel: () => ended.resolve(),
  })
  return { body, end: ended.resolve }
}

export const bodiesChecks = checksOf('bodies', [
  check('body-of-256-kib', 'A body of exactly 256 KiB is read and validated.', async (t) =>
    expect.error(await post(t, 'fish', 'A'.repeat(LIMITS.bodyBytes)), 'invalid_token'),
  ),
  check('body-refused-while-streaming', 'A body that is too large is refused before the upload ends.', async (t) => {
    if (!canStream()) throw new expect.CheckSkipped('this platform cannot stream the body of a request')
    const { name } = await t.user()
    const { body, end } = endlessBody()
    const headers = { 'content-type': MEDIA_TYPES.token, [HEADERS.gamemode]: GAMEMODE }
    try {
      const init = { method: 'POST', headers, body, timeoutMs: ENDLESS_MS }
      const response = await t.request(`/post/fish?name=${name}`, init).catch((error: unknown) => {
        if (!(error instanceof expect.NoResponse && mayBufferBodies())) throw error
        throw new expect.CheckSkipped('no response, and this platform may buffer a streamed body until its end')
      })
      expect.error(response, 'payload_too_large')
    } finally {
      end()
    }
  }),
])
