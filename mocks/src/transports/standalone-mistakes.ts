import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { HEADERS } from '@fish-crab/sdk/contract'
import { errorBody, HttpError, parserError, rawErrorResponse } from '@fish-crab/server/internal'

/** Answers a request that is no HTTP in the form of every other error, and closes its connection. */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const response = parserError(error)
  socket.end(rawErrorResponse(response, { requestId, reason: STATUS_CODES[response.status] }))
}

/** The answer when the world itself failed: a mistake in what the test set up, so it is said aloud. */
export function mistakeAnswer(error: unknown, requestId: string): Response {
  const message = error instanceof Error ? error.message : 'unknown'
  const failure = new HttpError('internal_error', { message: `The mock failed: ${message}` })
  const headers = { [HEADERS.requestId]: requestId }
  return Response.json(errorBody(failure, requestId), { status: failure.status, headers })
}
