// Sends requests with all network faults to a real server and to an interception, and prints the outcomes for each
// client. The script runs in a separate process, because test runners listen for uncaught errors.
import { createServer, get, request, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Outcome } from '../../src/service/outcome.ts'
import { intercept } from '../../src/transports/intercept.ts'

type Case = 'reset-first' | 'lost-late' | 'cut' | 'cut-empty' | 'silence' | 'slow-reset' | 'slow-response' | 'response'
interface Seen {
  readonly outcome: string
  readonly name?: string | undefined
  readonly code?: string | undefined
  readonly causeName?: string | undefined
  readonly causeCode?: string | undefined
  readonly message?: string | undefined
}

const undici = createRequire(import.meta.url)('undici') as typeof import('undici')
const BODY = JSON.stringify({ fish: ['Salmon', 'Cod'] })
const PATIENCE_MS = 50
const SLOW_MS = 30
/**
 * Returns the timeout of a request. The timeout is short only for silence, so that a busy machine does not change other
 * results.
 */
const patience = (url: string) => AbortSignal.timeout(url.endsWith('/silence') ? PATIENCE_MS : 10_000)
const uncaught: string[] = []
process.on('uncaughtException', (error) => uncaught.push(`exception: ${error.stack}`))
process.on('unhandledRejection', (error) => uncaught.push(`rejection: ${(error as Error)?.stack ?? error}`))

/** Returns the outcome that a mock would return for a case. */
function outcomeOf(kind: Case): Outcome {
  const response = new Response(kind === 'cut-empty' ? '' : BODY, { headers: { 'content-type': 'application/json' } })
  const delayMs = kind.startsWith('slow') ? SLOW_MS : 0
  switch (kind) {
    case 'reset-first':
    case 'slow-reset':
      return { response, delayMs, networkFault: { kind: 'reset' } }
    case 'lost-late':
      return { response, delayMs, networkFault: { kind: 'cut-body', share: 0 } }
    case 'cut':
    case 'cut-empty':
      return { response, delayMs, networkFault: { kind: 'cut-body', share: 0.5 } }
    case 'silence':
      return { response, delayMs, networkFault: { kind: 'silence' } }
    default:
      return { response, delayMs }
  }
}

/** Applies the fault of a case to the response of a real server. */
async function applyFault(kind: Case, response: ServerResponse): Promise<void> {
  const socket = response.socket as Socket
  const head = { 'content-type': 'application/json', 'content-length': kind === 'cut-empty' ? 1 : BODY.length }
  if (kind.startsWith('slow')) await sleep(SLOW_MS)
  switch (kind) {
    case 'reset-first':
    case 'slow-reset':
      socket.resetAndDestroy()
      return
    case 'lost-late':
      response.writeHead(200, head).flushHeaders()
      await sleep(5)
      socket.destroySoon()
      return
    case 'cut':
      response.writeHead(200, head).write(BODY.slice(0, BODY.length / 2))
      await sleep(5)
      socket.destroySoon()
      return
    case 'cut-empty':
      response.writeHead(200, head).flushHeaders()
      await sleep(5)
      socket.destroySoon()
      return
    case 'silence':
      return
    default:
      response.writeHead(200, head).end(BODY)
  }
}

function byNodeHttp(url: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = patience(url)
    const call = body === undefined ? get(url, { signal }) : request(url, { signal, method: 'POST' })
    if (body !== undefined) call.end(body)
    call.on('error', (error) => reject(Object.assign(error, { stage: 'call' })))
    call.on('response', (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      incoming.on('end', () => resolve(text))
      incoming.on('error', (error) => reject(Object.assign(error, { stage: 'body' })))
    })
  })
}

async function byFetch(fetch: typeof globalThis.fetch, url: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(url, { signal: patience(url), ...init })
  return response.text().catch((error) => {
    throw Object.assign(error, { stage: 'body' })
  })
}

const POST = { method: 'POST', body: 'gAAAA' } as const
const clients: Record<string, (url: string) => Promise<string>> = {
  'fetch GET': (url) => byFetch(fetch, url),
  'fetch POST': (url) => byFetch(fetch, url, POST),
  'undici.fetch GET': (url) => byFetch(undici.fetch as unknown as typeof fetch, url),
  'undici.request GET': async (url) => {
    const { body } = await undici.request(url, { signal: patience(url) })
    return body.text().catch((error) => {
      throw Object.assign(error, { stage: 'body' })
    })
  },
  'undici.request POST, own timeout': async (url) => {
    const { body } = await undici.request(url, { ...POST, dispatcher: impatient })
    return body.text().catch((error) => {
      throw Object.assign(error, { stage: 'body' })
    })
  },
  'node:http GET': (url) => byNodeHttp(url),
  'node:http POST': (url) => byNodeHttp(url, 'gAAAA'),
}
const impatient = new undici.Agent({ headersTimeout: 1_000, bodyTimeout: 1_000 })

async function see(call: Promise<string>): Promise<Seen> {
  try {
    return { outcome: `response ${(await call).length}` }
  } catch (caught) {
    const error = caught as Error & { stage?: string; code?: string; cause?: Error & { code?: string } }
    return {
      outcome: error.stage ?? 'call',
      name: error.name,
      code: typeof error.code === 'string' ? error.code : undefined,
      causeName: error.cause?.name,
      causeCode: typeof error.cause?.code === 'string' ? error.cause.code : undefined,
      // Normalize the message of undici's SocketError, which varies with the code path in undici.
      message: `${error.message} | ${error.cause?.message}`.replace('other side closed', 'closed'),
    }
  }
}

const cases: Case[] = [
  'response',
  'reset-first',
  'lost-late',
  'cut',
  'cut-empty',
  'silence',
  'slow-reset',
  'slow-response',
]

async function playAll(origin: string): Promise<Record<string, Seen>> {
  const table: Record<string, Seen> = {}
  const each = Object.entries(clients).map(async ([client, call]) => {
    await Promise.all(
      cases.map(async (kind) => {
        table[`${client}, ${kind}`] = await see(call(`${origin}/${kind}`))
      }),
    )
    // A broken connection must not affect the next request.
    table[`${client}, afterwards`] = await see(call(`${origin}/response`))
  })
  await Promise.all(each)
  return table
}

const server = createServer((incoming, response) => {
  response.on('error', () => {})
  incoming.resume().on('end', () => void applyFault(incoming.url?.slice(1) as Case, response))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
const real = await playAll(`http://127.0.0.1:${port}`)
server.closeAllConnections()
server.close()

const interception = await intercept({
  origin: 'http://fish.test',
  handle: async (request) => {
    await request.text()
    return outcomeOf(new URL(request.url).pathname.slice(1) as Case)
  },
})
const mocked = await playAll('http://fish.test')
await interception.close()
await impatient.close()
await nextTurn()
process.stdout.write(JSON.stringify({ real, mocked, uncaught }))
