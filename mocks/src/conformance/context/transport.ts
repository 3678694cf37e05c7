import type { Answer } from './answer.ts'
import { NoAnswer } from './expectation.ts'
import { readAnswer } from './read-answer.ts'

/**
 * How requests are sent: a `fetch` that takes a `Request`. The signal of the request is given beside it again, since
 * Node forgets that of a request which nobody holds any more.
 */
export type SendRequest = (request: Request, init?: { readonly signal: AbortSignal }) => Promise<Response>

/** What a request of a check may say. */
interface SendInit {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyInit
  /** How long an answer may take, in milliseconds. @default the option `requestTimeoutMs` */
  readonly timeoutMs?: number
}

/** Sends one request and reads its answer to the end. */
export type Send = (path: string, init?: SendInit) => Promise<Answer>

/** What {@link createSend} builds on. */
export interface TransportContext {
  readonly baseUrl: string
  readonly send: SendRequest
  readonly requestTimeoutMs: number
  /** Ends every request under way. */
  readonly signal: AbortSignal
}

/** Makes a sender that never hangs: every request ends by its timeout, or when the run does. */
export function createSend({ baseUrl, send, requestTimeoutMs, signal }: TransportContext): Send {
  const base = baseUrl.replace(/\/+$/, '')
  return async (path, { method = 'GET', headers = {}, body, timeoutMs = requestTimeoutMs } = {}) => {
    signal.throwIfAborted()
    const own = new AbortController()
    const ends = AbortSignal.any([own.signal, signal])
    const timer = setTimeout(() => own.abort(new NoAnswer('an answer', `none within ${timeoutMs} ms`)), timeoutMs)
    try {
      const init: RequestInit & { duplex?: 'half' } = {
        method,
        headers: { ...headers },
        redirect: 'manual',
        signal: ends,
        ...(body === undefined ? {} : { body }),
        ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
      }
      const work = async () =>
        readAnswer(method, path, await send(new Request(`${base}${path}`, init), { signal: ends }))
      return await orAborted(work(), ends)
    } catch (error) {
      if (error instanceof NoAnswer) throw error
      if (signal.aborted) throw signal.reason
      if (own.signal.aborted) throw own.signal.reason
      throw new NoAnswer('an answer', `none (${reasonOf(error)})`)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Settles at an abort also where the work does not look at the signal, as a `fetch` in the same process may not. */
function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    // The work that was begun may have aborted it.
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Only the code or the kind of an error: its message may quote an address with credentials in it. */
function reasonOf(error: unknown): string {
  const { cause, name } = error instanceof Error ? error : { cause: undefined, name: typeof error }
  const code = (cause as { readonly code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : name
}
