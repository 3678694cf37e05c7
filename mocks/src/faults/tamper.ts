import { decoded } from '../mock/decoded.ts'
import { render } from './render.ts'

/** What is done to the body of an answer. */
export type Tampering = 'malformed-json' | 'wrong-shape' | 'wrong-content-type'

const PAGE = '<!doctype html><title>Sign in</title><p>Sign in to this network to go on.</p>\n'

const CHANGES: Readonly<Record<Tampering, (text: string) => string>> = {
  // No beginning of a JSON object is JSON.
  'malformed-json': (text) => text.slice(0, Math.max(1, text.length >> 1)),
  'wrong-shape': (text) => JSON.stringify({ data: JSON.parse(text) }),
  'wrong-content-type': () => PAGE,
}

/** The same answer with another body. One that has none stays as it is. */
export async function tamper(request: Request, response: Response, tampering: Tampering): Promise<Response> {
  if (request.method === 'HEAD' || response.body === null) return response
  const headers = new Headers(response.headers)
  // Of the answer as it was.
  headers.delete('etag')
  headers.delete('content-encoding')
  if (tampering === 'wrong-content-type') headers.set('content-type', 'text/html; charset=utf-8')
  return render(request, response.status, headers, CHANGES[tampering](await decoded(response).text()))
}
