/**
 * Parts of the app that the mocks use, so that mocks record requests and format errors in the same way as the service.
 * The mocks bundle these parts, so the parts are not published.
 */

export { wrapDriver } from '../storage/core/wrap-driver.ts'
export { createMemoryDriver } from '../storage/memory/memory.ts'
export { parsePayload } from './catches/payload.ts'
export { requestIdOf } from './http/context.ts'
export { errorBody, HttpError, parserError, rawErrorResponse } from './http/http-error.ts'
export { parseJson, readBody, validate } from './http/request.ts'
export { USERS_BASE } from './store/item-keys.ts'
