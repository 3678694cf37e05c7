const encoder = new TextEncoder()

/** A made answer. It has its length: without it, a body that was cut short looks complete. */
export function render(request: Request, status: number, headers: Headers, text: string): Response {
  const body = encoder.encode(text)
  headers.set('content-length', String(body.byteLength))
  return new Response(request.method === 'HEAD' ? null : body, { status, headers })
}
