/** A request as servers of this house make it: with the address of the socket it came by. */
type Addressed = Request & { readonly ip?: string | undefined }

const LOOPBACK = '127.0.0.1'

/** The address that a request came from. @returns `127.0.0.1` where no socket was */
export function socketAddress(request: Addressed): string {
  return request.ip ?? LOOPBACK
}

/** Gives a request an address to come from. */
export function fromAddress(request: Request, address: string): Request {
  return Object.defineProperty(request, 'ip', { value: address })
}

/** Gives a request these headers, also such as no page may set. */
export function withHeaders(request: Request, headers: Headers): Request {
  return Object.defineProperty(request, 'headers', { value: headers })
}

/** Gives a request the address of another. */
export function withAddress(request: Request, other: Addressed): Request {
  return other.ip === undefined ? request : fromAddress(request, other.ip)
}
