/**
 * Parts of the app for the mocks, which record requests and write errors as the service does. They are not published: the
 * mocks bundle them.
 */
export { decryptToken, parsePayload, tokenText } from './catches/payload.ts'
export { requestIdOf } from './http/context.ts'
export { errorBody, HttpError, parserError, rawErrorResponse } from './http/http-error.ts'
export { parseJson, readBody, validate } from './http/request.ts'
export { USERS_BASE } from './store/item-keys.ts'
