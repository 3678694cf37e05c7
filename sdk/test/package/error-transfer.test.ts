import * as sdk from '@fish-crab/sdk'
import * as outbox from '@fish-crab/sdk/outbox'
import { expect, test } from 'vitest'

const status = { status: 429, code: 'rate_limited', headers: { 'retry-after': '1' }, requestId: 'r-1' }
const ERRORS: readonly sdk.FishCrabError[] = [
  new sdk.FishCrabError('It failed.', { code: 'unknown', hint: 'Try again.', cause: () => {} }),
  new sdk.ValidationError([{ path: 'user', message: 'Required.' }]),
  new sdk.ConnectionError('No response.', { code: 'connection_error', cause: new Error('reset') }),
  new sdk.NotFoundError('No such user.', { ...status, status: 404, code: 'user_not_found' }),
  new sdk.RateLimitError('Too many.', status, { resetAt: new Date(), retryAfterMs: 1 }),
  new outbox.OutboxFullError(1),
]

test.each(ERRORS.map((error) => [error.name, error] as const))(
  'the result of toJSON of a %s crosses structuredClone with its name, code and message',
  (name, error) => {
    const { code, message } = error
    const clone = structuredClone(error.toJSON())
    expect(clone).toEqual(error.toJSON())
    expect(clone).toMatchObject({ name, code, message })
    expect(clone).not.toHaveProperty('cause')
  },
)
