import { HEADERS, LIMITS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { expectNothingStored, GAMEMODE, post, SHORT, seal } from '../context/catches.ts'
import { expectError } from '../context/expect-answer.ts'
import { CheckSkipped, NoAnswer } from '../context/expectation.ts'
import { canStream, mayHoldBodiesBack } from '../context/platform.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const CHUNK_BYTES = 64 * 1024
const ENDLESS_MS = 3000

/** A body that goes on after it was too large, until it is given up. */
function endlessBody(): { readonly body: ReadableStream<Uint8Array>; readonly end: () => void } {
  let sent = 0
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent <= LIMITS.bodyBytes + CHUNK_BYTES) {
        sent += CHUNK_BYTES
        controller.enqueue(new Uint8Array(CHUNK_BYTES).fill(0x41))
        return
      }
      await released
      controller.error(new Error('The body is given up.'))
    },
    cancel: () => release(),
  })
  return { body, end: () => release() }
}

const rows: readonly CheckRow[] = [
  [
    'body-of-256-kib',
    'A body of exactly 256 KiB is read, and judged for what it holds.',
    async (world) => void expectError(await post(world, 'fish', 'A'.repeat(LIMITS.bodyBytes)), 'invalid_token'),
  ],
  [
    'body-over-256-kib',
    'A body of one byte more than 256 KiB is 413 payload_too_large.',
    async (world) => {
      for (const kind of ['fish', 'crab'] as const)
        expectError(await post(world, kind, 'A'.repeat(LIMITS.bodyBytes + 1)), 'payload_too_large')
    },
  ],
  [
    'body-over-256-kib-login',
    'A login of more than 256 KiB is 413 payload_too_large.',
    async ({ send }) => {
      const headers = { 'content-type': MEDIA_TYPES.json }
      const body = ' '.repeat(LIMITS.bodyBytes + 1)
      expectError(await send('/admin/login', { method: 'POST', headers, body }), 'payload_too_large')
    },
  ],
  [
    'body-refused-while-streaming',
    'A body that is too large is refused while it still streams, before its end.',
    async (world) => {
      if (!canStream()) throw new CheckSkipped('this platform cannot stream the body of a request')
      const { name } = await world.user()
      const { body, end } = endlessBody()
      const headers = { 'content-type': MEDIA_TYPES.token, [HEADERS.gamemode]: GAMEMODE }
      try {
        const init = { method: 'POST', headers, body, timeoutMs: ENDLESS_MS }
        const answer = await world.request(`/post/fish?name=${name}`, init).catch((error: unknown) => {
          if (!(error instanceof NoAnswer && mayHoldBodiesBack())) throw error
          throw new CheckSkipped('this platform may hold a streamed body back until its end, and there was no answer')
        })
        expectError(answer, 'payload_too_large')
      } finally {
        end()
      }
    },
  ],
  ...['gzip', 'br', 'x-unknown'].map(
    (coding): CheckRow => [
      `body-content-encoding-${coding}`,
      `A body with Content-Encoding: ${coding} is 415 unsupported_media_type, and nothing is stored.`,
      async (world) =>
        expectNothingStored(world, async () => {
          const headers = { 'content-encoding': coding }
          const answer = await post(world, 'fish', await seal(world, SHORT.fish), { headers })
          expectError(answer, 'unsupported_media_type')
        }),
    ],
  ),
  ...['application/json', 'text/plain'].map(
    (type): CheckRow => [
      `body-of-type-${type.replace('/', '-')}`,
      `A write whose Content-Type is ${type} is 415 unsupported_media_type, and nothing is stored.`,
      async (world) =>
        expectNothingStored(world, async () => {
          const headers = { 'content-type': type }
          const answer = await post(world, 'crab', await seal(world, SHORT.crab), { headers })
          expectError(answer, 'unsupported_media_type')
        }),
    ],
  ),
]

/** The forms of request bodies that are refused before they are read. */
export const bodiesChecks = checksOf('bodies', rows)
