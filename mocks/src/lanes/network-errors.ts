import type { BodyDisturbance } from './disturbed.ts'

/**
 * What Node's fetch rejects with when a connection is reset before the answer, as measured against a server that
 * destroys its socket there (Node 24).
 */
export function fetchFailed(): TypeError {
  return new TypeError('fetch failed', { cause: connectionReset() })
}

/** What reading a body rejects with when the connection is reset, or ends before `content-length` is reached. */
export function terminated(how: BodyDisturbance['kind']): TypeError {
  return new TypeError('terminated', { cause: brokenOff(how) })
}

/** What a socket fails with in the middle of an answer. */
export function brokenOff(how: BodyDisturbance['kind']): Error {
  return how === 'reset' ? connectionReset() : otherSideClosed()
}

/** Node's own error of a socket that is reset. */
export function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { errno: -104, code: 'ECONNRESET', syscall: 'read' })
}

function otherSideClosed(): Error {
  const error = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
  error.name = 'SocketError'
  return error
}
