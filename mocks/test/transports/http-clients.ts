import http from 'node:http'
import { text } from 'node:stream/consumers'
import { createClient } from '@fish-crab/sdk'
import { Agent, request as undiciRequest } from 'undici'

/** The outcome of a request, as the caller sees the response or the failure. */
export interface Seen {
  /** The stage at which the request failed. */
  readonly stage: 'before the response' | 'in the body' | 'never'
  readonly name?: string
  /** The codes of the error and its causes. */
  readonly codes?: readonly unknown[]
  readonly status?: number
}

/** Ways to send a GET request and read the whole response, with a timeout in milliseconds. */
export const CLIENTS = {
  fetch: (url: string, patience: number) =>
    seen(
      () => fetch(url, { signal: AbortSignal.timeout(patience) }),
      (response) => response.text(),
    ),
  'undici.request': async (url: string, patience: number) => {
    const dispatcher = new Agent()
    try {
      return await seen(
        async () => {
          const { statusCode: status, body } = await undiciRequest(url, {
            dispatcher,
            signal: AbortSignal.timeout(patience),
          })
          return { status, body }
        },
        ({ body }) => body.text(),
      )
    } finally {
      await dispatcher.destroy()
    }
  },
  'node:http': (url: string, patience: number) =>
    seen(
      () =>
        new Promise<{ status: number; body: Promise<string> }>((resolve, reject) => {
          // Call the function of the module object, since MSW does not intercept functions that were imported earlier.
          http
            .request(url, { signal: AbortSignal.timeout(patience) }, (message) => {
              const body = text(message)
              // Prevent an unhandled rejection. The caller reads `body` later and reports the failure.
              body.catch(() => {})
              resolve({ status: message.statusCode ?? 0, body })
            })
            .once('error', reject)
            .end()
        }),
      ({ body }) => body,
    ),
  'the SDK': (url: string, patience: number) =>
    seen(
      async () => {
        const client = createClient({ baseUrl: url, maxRetries: 0, maxWaitMs: 0, timeoutMs: patience })
        await client.demo.fish()
        return { status: 200 }
      },
      async () => {},
    ),
} as const

async function seen<Answer extends { readonly status: number }>(
  send: () => Promise<Answer>,
  read: (response: Answer) => Promise<unknown>,
): Promise<Seen> {
  let response: Answer
  try {
    response = await send()
  } catch (error) {
    return { stage: 'before the response', ...failureOf(error) }
  }
  try {
    await read(response)
  } catch (error) {
    return { stage: 'in the body', status: response.status, ...failureOf(error) }
  }
  return { stage: 'never', status: response.status }
}

function failureOf(error: unknown) {
  const codes: unknown[] = []
  for (let link = error as NodeJS.ErrnoException | undefined; link; link = link.cause as typeof link) {
    if (link.code !== undefined) codes.push(link.code)
  }
  return { name: (error as Error).name, codes }
}
