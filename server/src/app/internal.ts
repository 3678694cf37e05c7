/**
 * Parts of the app for the mocks, which record what clients sent and write errors as the service does. Not published:
 * the mocks bundle them.
 */
export { parsePayload } from './catches/payload.ts'
export { decryptToken, tokenText } from './catches/token.ts'
export { errorBody } from './http/answer.ts'
export { parseJson, readBody } from './http/body.ts'
export { requestIdOf } from './http/exchange.ts'
export { Failure as HttpError } from './http/failure.ts'
export { parserError, rawErrorResponse } from './http/raw-error.ts'
export { validate } from './http/validate.ts'
