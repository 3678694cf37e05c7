import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NetworkFault } from '../../src/service/outcome.ts'
import { type MockServer, serveHttp } from '../../src/transports/http.ts'
import { CLIENTS } from './http-clients.ts'

type Client = keyof typeof CLIENTS

const BODY = JSON.stringify({
  user: 'demo',
  fish: Array.from({ length: 20 }, () => ({ name: 'Salmon', rarity: 'Gold' })),
})
const head = (length: number) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
const HEAD = head(BODY.length)

interface FaultCase {
  readonly networkFault: NetworkFault
  /** Causes the fault on the socket of a raw server. */
  readonly byHand: (socket: Socket) => void
  readonly body?: string
  readonly stage: 'before the response' | 'in the body'
  readonly patience?: number
}

const FAULTS: Readonly<Record<string, FaultCase>> = {
  'a reset before the response': {
    networkFault: { kind: 'reset' },
    byHand: (socket) => socket.resetAndDestroy(),
    stage: 'before the response',
  },
  'an end after the headers': {
    networkFault: { kind: 'cut-body', share: 0 },
    byHand: (socket) => socket.end(HEAD),
    stage: 'in the body',
  },
  'a cut body': {
    networkFault: { kind: 'cut-body', share: 0.5 },
    byHand: (socket) => socket.end(HEAD + BODY.slice(0, BODY.length / 2)),
    stage: 'in the body',
  },
  'a cut body without any bytes': {
    networkFault: { kind: 'cut-body', share: 0.5 },
    byHand: (socket) => socket.end(head(1)),
    body: '',
    stage: 'in the body',
  },
  silence: {
    networkFault: { kind: 'silence' },
    byHand: () => {},
    stage: 'before the response',
    patience: 40,
  },
}

const table = Object.keys(FAULTS).flatMap((fault) =>
  Object.keys(CLIENTS).map((client) => [fault, client as Client] as const),
)

describe('a mock over HTTP', () => {
  let standalone: MockServer
  let reference: Awaited<ReturnType<typeof startReference>>
  const uncaught: unknown[] = []
  const note = (error: unknown) => uncaught.push(error)

  beforeAll(async () => {
    process.on('uncaughtExceptionMonitor', note)
    reference = await startReference()
    standalone = await serveHttp({
      async handle(request) {
        const fault = FAULTS[faultOf(new URL(request.url).pathname)]
        const response = new Response(fault?.body ?? BODY, { headers: { 'content-type': 'application/json' } })
        return { response, delayMs: 0, networkFault: fault?.networkFault }
      },
    })
  })
  afterAll(async () => {
    await standalone.close()
    await reference.close()
    process.off('uncaughtExceptionMonitor', note)
    expect(uncaught).toEqual([])
  })

  it.each(table)('%s has the same effect on %s as a fault of a raw server', async (fault, client) => {
    const { stage, patience = 5000 } = FAULTS[fault] ?? {}
    const path = `/${encodeURIComponent(fault)}`
    const [mocked, real] = await Promise.all([
      CLIENTS[client](standalone.url + path, patience),
      CLIENTS[client](reference.url + path, patience),
    ])
    expect(mocked).toEqual(real)
    // The SDK reads the whole response before the call settles.
    expect(mocked.stage).toBe(client === 'the SDK' ? 'before the response' : stage)
    expect(mocked.name).toMatch(/Error$/)
    if (fault !== 'silence') expect(mocked.codes?.at(-1)).toMatch(/^(ECONNRESET|UND_ERR_\w+)$/)
  })

  it.each(Object.keys(CLIENTS) as Client[])('a response without a fault is complete for %s', async (client) => {
    expect(await CLIENTS[client](standalone.url, 5000)).toEqual({ stage: 'never', status: 200 })
  })
})

/** Returns the first segment of the path, since the SDK appends further segments. */
function faultOf(pathname: string): string {
  return decodeURIComponent(pathname.split('/')[1] ?? '')
}

/** Starts the reference, a raw server that writes bytes to a socket. */
async function startReference() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', (data) => {
      const [, path = ''] = data.toString().split(' ')
      FAULTS[faultOf(path)]?.byHand(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
