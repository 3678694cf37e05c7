/**
 * What Node's fetch rejects with when a connection is reset before the answer, as measured against a server that
 * destroys its socket there (Node 24).
 */
export function fetchFailed(): TypeError {
  return new TypeError('fetch failed', { cause: connectionReset() })
}

/** What reading a body rejects with when the connection ends before `content-length` is reached. */
export function terminated(): TypeError {
  return new TypeError('terminated', { cause: otherSideClosed() })
}

/** Node's own error of a socket that is reset. */
export function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { errno: -104, code: 'ECONNRESET', syscall: 'read' })
}

/** What undici fails with when a connection ends in the middle of an answer. */
export function otherSideClosed(): Error {
  const error = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
  error.name = 'SocketError'
  return error
}
