import { HEADERS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { expectError, expectErrorForm, expectRequestId } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const KEPT: readonly (readonly [string, string, string])[] = [
  ['request-id-kept-one-character', 'of one character', 'a'],
  ['request-id-kept-all-marks', 'of letters, digits, ".", "_" and "-"', 'A.b_c-9'],
  ['request-id-kept-64-characters', 'of 64 characters', 'x'.repeat(64)],
]

const REPLACED: readonly (readonly [string, string, string])[] = [
  ['request-id-replaced-65-characters', 'of 65 characters', 'x'.repeat(65)],
  ['request-id-replaced-space', 'with a space in it', 'a b'],
  ['request-id-replaced-slash', 'with a slash in it', 'a/b'],
  ['request-id-replaced-markup', 'with markup in it', '<b>'],
  ['request-id-replaced-comma', 'with a comma in it', 'a,b'],
  ['request-id-replaced-empty', 'that is empty', ''],
]

const WITH_ID: readonly (readonly [string, string, string])[] = [
  ['request-id-on-success', 'a success', '/status'],
  ['request-id-on-error', 'an error', '/nowhere'],
  ['request-id-on-admin', 'an admin endpoint', '/admin/users'],
  ['request-id-on-probe', 'a probe', '/livez'],
]

const rows: readonly CheckRow[] = [
  [
    'error-body-form',
    'Every error body says what to do under "error", a "code", and the "requestId" of the header.',
    async ({ request }) => {
      for (const path of ['/nowhere', '/get/fish', '/get/crab?name=a', '/post/fish'])
        expectErrorForm(await request(path))
    },
  ],
  [
    'error-body-shows-nothing-internal',
    'An error body shows no stack and no place in a program.',
    async ({ request }) => {
      const answer = await request('/nowhere/%', { headers: { 'content-type': MEDIA_TYPES.json } })
      const { text } = answer
      expectThat(!/\bat .+:\d+:\d+|node_modules|"stack"/.test(text), 'no stack', 'one', answer)
      expectErrorForm(answer)
    },
  ],
  ...WITH_ID.map(
    ([id, what, path]): CheckRow => [
      id,
      `The answer of ${what} has a header x-request-id.`,
      async ({ request }) => void expectRequestId(await request(path)),
    ],
  ),
  ...KEPT.map(
    ([id, what, own]): CheckRow => [
      id,
      `A client's own request id ${what} is kept.`,
      async ({ request }) => {
        const answer = await request('/nowhere', { headers: { [HEADERS.requestId]: own } })
        expectSame(expectRequestId(answer), own, 'the request id', answer)
        expectSame(expectErrorForm(answer).requestId, own, '"requestId" in the body', answer)
      },
    ],
  ),
  ...REPLACED.map(
    ([id, what, own]): CheckRow => [
      id,
      `A client's own request id ${what} is replaced.`,
      async ({ request }) => {
        const answer = await request('/nowhere', { headers: { [HEADERS.requestId]: own } })
        const used = expectRequestId(answer)
        expectThat(used !== own, 'another request id than the one that was sent', used, answer)
      },
    ],
  ),
  [
    'request-ids-differ',
    'Every request gets a request id of its own.',
    async ({ request }) => {
      const answers = await Promise.all([1, 2, 3, 4].map(() => request('/status')))
      expectSame(new Set(answers.map(expectRequestId)).size, 4, 'the number of different request ids')
    },
  ],
  ...(
    [
      ['not-found-root', '/'],
      ['not-found-unknown', '/nope'],
      ['not-found-above-a-path', '/get'],
      ['not-found-below-a-path', '/get/fish/x'],
      ['not-found-version-2', '/v2/status'],
      ['not-found-version-twice', '/v1/v1/status'],
    ] as const
  ).map(
    ([id, path]): CheckRow => [
      id,
      `An unknown path, ${path}, is 404 not_found.`,
      async ({ request }) => void expectError(await request(path), 'not_found'),
    ],
  ),
]

/** What all answers have in common. */
export const answersChecks = checksOf('answers', rows)
