import { ERROR_CODES, type ErrorBody, type ErrorCode, HEADERS, isErrorCode, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { expect } from 'vitest'

const PLAIN_FIELDS = ['code', 'error', 'requestId']

/** Checks that a response is an error in the documented form, and returns the error body. */
export async function readError(response: Response): Promise<ErrorBody> {
  expect(response.headers.get('content-type')).toBe(MEDIA_TYPES.json)
  const text = await response.text()
  const body = JSON.parse(text) as ErrorBody
  expect(Object.keys(body).sort()).toEqual(body.details ? ['code', 'details', 'error', 'requestId'] : PLAIN_FIELDS)
  expect(isErrorCode(body.code)).toBe(true)
  expect(response.status).toBe(ERROR_CODES[body.code].status)
  expect(body.requestId).toBe(response.headers.get(HEADERS.requestId))
  expect(body.error.trim()).not.toBe('')
  expect(text).not.toMatch(/\bat \S+ \(|node_modules|\.ts:\d+|stack/)
  for (const detail of body.details ?? []) expect(Object.keys(detail).sort()).toEqual(['message', 'path'])
  return body
}

/** Checks that a response is this error in the documented form, and returns the error body. */
export async function expectError(response: Response, code: ErrorCode): Promise<ErrorBody> {
  const { status } = response
  const body = await readError(response)
  expect({ status, code: body.code }).toEqual({ status: ERROR_CODES[code].status, code })
  return body
}
