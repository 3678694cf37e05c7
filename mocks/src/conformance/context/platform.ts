/** Whether programs may set this header here. Browsers keep some to themselves (Fetch, "forbidden request-header"). */
export function maySetHeader(name: string): boolean {
  return new Request('http://localhost', { headers: { [name]: 'x' } }).headers.has(name)
}

/** Whether requests can have a body that is made while it is sent. */
export function canStream(): boolean {
  try {
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body: new ReadableStream(), duplex: 'half' }
    return !new Request('http://localhost', init).headers.has('content-type')
  } catch {
    return false
  }
}

/**
 * Whether a streamed body may be held back until its end by what is between a program and the service. Browsers do so,
 * for workers of the page, and stream to no server that speaks HTTP/1.1. They are known by the headers they keep.
 */
export function mayHoldBodiesBack(): boolean {
  return !maySetHeader('origin')
}
