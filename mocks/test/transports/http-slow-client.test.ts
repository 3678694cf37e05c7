import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { NetworkFault } from '../../src/service/outcome.ts'
import { type MockServer, serveHttp } from '../../src/transports/http.ts'

const open: MockServer[] = []
afterEach(() => Promise.all(open.splice(0).map(({ close }) => close())))

const MIB = 2 ** 20
/** Several times the size of the socket buffers, in bytes. */
const TOO_MUCH = 24 * MIB
/** The pause of the client before the first read, in milliseconds. A mock would reset the connection earlier. */
const SLEEP_MS = 50

interface Read {
  readonly head: number
  readonly body: number
  readonly code: string | undefined
}

/** Serves a response with a fault, and reads the response late, after a pause. */
async function readLate(response: Response, networkFault: NetworkFault): Promise<Read> {
  const responded = Promise.withResolvers<void>()
  const standalone = await serveHttp({
    async handle() {
      responded.resolve()
      return { response, delayMs: 0, networkFault }
    },
  })
  open.push(standalone)
  const { hostname, port } = new URL(standalone.url)
  const socket = connect(Number(port), hostname)
  const ended = Promise.withResolvers<string | undefined>()
  socket.once('error', ({ code }: NodeJS.ErrnoException) => ended.resolve(code))
  socket.once('close', () => ended.resolve(undefined))
  socket.write('GET / HTTP/1.1\r\nhost: mock\r\n\r\n')
  await responded.promise
  await pause(SLEEP_MS)
  const pieces: Buffer[] = []
  socket.on('data', (piece) => pieces.push(piece))
  const code = await ended.promise
  const all = Buffer.concat(pieces)
  const end = all.indexOf('\r\n\r\n')
  return { head: end < 0 ? all.length : end, body: end < 0 ? 0 : all.length - end - 4, code }
}

describe('a client that reads late', () => {
  it('receives all headers if the connection ends after the headers', async () => {
    const headers = Array.from({ length: TOO_MUCH / MIB }, (_, at): [string, string] => [`x-${at}`, 'a'.repeat(MIB)])
    const { head, body, code } = await readLate(new Response('[]', { headers }), { kind: 'cut-body', share: 0 })
    expect(head).toBeGreaterThan(TOO_MUCH)
    expect({ body, code }).toEqual({ body: 0, code: undefined })
  })

  it('receives the complete first half of a cut body before the connection ends', async () => {
    const whole = new Response(new Uint8Array(2 * TOO_MUCH))
    expect(await readLate(whole, { kind: 'cut-body', share: 0.5 })).toMatchObject({ body: TOO_MUCH, code: undefined })
  })
})
