import { HEADERS, LIMITS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { encrypt, expectNothingStored, GAMEMODE, post, SHORT_PAYLOADS } from '../context/catches.ts'
import { canStream, mayBufferBodies } from '../context/context.ts'
import { CheckSkipped, expectError, NoResponse } from '../context/expect.ts'
import { check, checksOf } from './check.ts'

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
    expectError(await post(t, 'fish', 'A'.repeat(LIMITS.bodyBytes)), 'invalid_token'),
  ),
  check('body-over-256-kib', 'A body of 256 KiB and one byte is 413 payload_too_large.', async (t) => {
    for (const kind of ['fish', 'crab'] as const)
      expectError(await post(t, kind, 'A'.repeat(LIMITS.bodyBytes + 1)), 'payload_too_large')
  }),
  check('body-over-256-kib-login', 'A login of more than 256 KiB is 413 payload_too_large.', async ({ send }) => {
    const headers = { 'content-type': MEDIA_TYPES.json }
    const body = ' '.repeat(LIMITS.bodyBytes + 1)
    expectError(await send('/admin/login', { method: 'POST', headers, body }), 'payload_too_large')
  }),
  check(
    'body-refused-while-streaming',
    'A body that is too large is refused while it is streamed, before its end.',
    async (t) => {
      if (!canStream()) throw new CheckSkipped('this platform cannot stream the body of a request')
      const { name } = await t.user()
      const { body, end } = endlessBody()
      const headers = { 'content-type': MEDIA_TYPES.token, [HEADERS.gamemode]: GAMEMODE }
      try {
        const init = { method: 'POST', headers, body, timeoutMs: ENDLESS_MS }
        const response = await t.request(`/post/fish?name=${name}`, init).catch((error: unknown) => {
          if (!(error instanceof NoResponse && mayBufferBodies())) throw error
          throw new CheckSkipped('no response, and this platform may buffer a streamed body until its end')
        })
        expectError(response, 'payload_too_large')
      } finally {
        end()
      }
    },
  ),
  ...['gzip', 'br', 'x-unknown'].map((coding) =>
    check(
      `body-content-encoding-${coding}`,
      `A body with Content-Encoding: ${coding} is 415 unsupported_media_type, and nothing is stored.`,
      async (t) =>
        expectNothingStored(t, async () => {
          const headers = { 'content-encoding': coding }
          const response = await post(t, 'fish', await encrypt(t, SHORT_PAYLOADS.fish), { headers })
          expectError(response, 'unsupported_media_type')
        }),
    ),
  ),
  ...['application/json', 'text/plain'].map((type) =>
    check(
      `body-of-type-${type.replace('/', '-')}`,
      `A write whose Content-Type is ${type} is 415 unsupported_media_type, and nothing is stored.`,
      async (t) =>
        expectNothingStored(t, async () => {
          const headers = { 'content-type': type }
          const response = await post(t, 'crab', await encrypt(t, SHORT_PAYLOADS.crab), { headers })
          expectError(response, 'unsupported_media_type')
        }),
    ),
  ),
])
