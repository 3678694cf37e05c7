import { HEADERS } from '@fish-crab/sdk/contract'
import { readBytes } from '../../../../sdk/src/internal/body.ts'
import { untilAborted } from '../../../../sdk/src/internal/wait.ts'
import { NoResponse, type ReceivedResponse } from './expect.ts'

/**
 * Sends a request, as `fetch` does. The signal is also passed separately, since Node drops the signal of a `Request`
 * that is garbage-collected.
 */
export type SendRequest = (request: Request, init?: { readonly signal: AbortSignal }) => Promise<Response>

interface SendInit {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyInit
  /** Timeout in milliseconds. @default the option `requestTimeoutMs` */
  readonly timeoutMs?: number
}

export type Send = (path: string, init?: SendInit) => Promise<ReceivedResponse>

interface SendOptions {
  readonly baseUrl: string
  readonly send: SendRequest
  readonly requestTimeoutMs: number
  readonly signal: AbortSignal
}

/** Every request ends when its timeout expires or the run is aborted, if no response has arrived before. */
export function createSend({ baseUrl, send, requestTimeoutMs, signal }: SendOptions): Send {
  const base = baseUrl.replace(/(?<!\/)\/+$/, '')
  return async (path, { method = 'GET', headers = {}, body, timeoutMs = requestTimeoutMs } = {}) => {
    signal.throwIfAborted()
    const timeout = new AbortController()
    const either = AbortSignal.any([timeout.signal, signal])
    const timer = setTimeout(
      () => timeout.abort(new NoResponse('a response', `none within ${timeoutMs} ms`)),
      timeoutMs,
    )
    try {
      const init: RequestInit & { duplex?: 'half' } = {
        method,
        headers: { ...headers },
        redirect: 'manual',
        signal: either,
        ...(body === undefined ? {} : { body }),
        ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
      }
      // A `fetch` that handles requests within this process may ignore the signal.
      return await untilAborted(
        async () => readResponse(method, path, await send(new Request(`${base}${path}`, init), { signal: either })),
        either,
      )
    } catch (error) {
      if (error instanceof NoResponse) throw error
      if (signal.aborted) throw signal.reason
      if (timeout.signal.aborted) throw timeout.signal.reason
      throw new NoResponse('a response', `none (${reasonOf(error)})`)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The code or the name of an error. The message may contain a URL with credentials. */
function reasonOf(error: unknown): string {
  const { cause, name } = error instanceof Error ? error : { cause: undefined, name: typeof error }
  const code = (cause as { readonly code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : name
}

const MAX_PATH_LENGTH = 100
/** Maximum size of a response. Valid responses are smaller. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024

/** @throws NoResponse when the body is too long */
async function readResponse(method: string, path: string, response: Response): Promise<ReceivedResponse> {
  const bytes = await readBody(response)
  const short = path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path
  return {
    to: `${method} ${short}`,
    status: response.status,
    headers: response.headers,
    bytes,
    text: new TextDecoder().decode(bytes),
    requestId: response.headers.get(HEADERS.requestId) ?? undefined,
  }
}

async function readBody({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (!body) return new Uint8Array(0)
  const tooLarge = () => new NoResponse('a response', `more than ${MAX_RESPONSE_BYTES} bytes`)
  try {
    return await readBytes(body, MAX_RESPONSE_BYTES, tooLarge)
  } catch (error) {
    body.cancel().catch(() => {})
    throw error
  }
}

const AT_ONCE = 20

export async function sendMany(count: number, send: () => Promise<ReceivedResponse>): Promise<ReceivedResponse[]> {
  const responses: ReceivedResponse[] = []
  while (responses.length < count) {
    const size = Math.min(AT_ONCE, count - responses.length)
    responses.push(...(await Promise.all(Array.from({ length: size }, send))))
  }
  return responses
}
