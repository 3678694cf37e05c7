import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { SentResponse } from '../../src/node/sent-response.ts'

/** Serves one response; returns a socket that has requested it. */
async function request(response: SentResponse, onCut: Parameters<SentResponse['send']>[1] = () => {}) {
  const server = createServer((_, res) => void response.send(res, onCut))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  return socket
}

it('an error that ends a body is reported with the id of the request, and cuts the connection', async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('the storage is gone')) })
  const cuts: unknown[] = []
  const response = new SentResponse(body, { headers: { 'x-request-id': 'mine' } })
  const socket = await request(response, (error, requestId) => cuts.push([(error as Error).message, requestId]))
  await once(socket.resume(), 'close')
  expect(cuts).toEqual([['the storage is gone', 'mine']])
})

it('a body that fails because its client left is not reported', async () => {
  const { promise: left, reject } = Promise.withResolvers<void>()
  const pulled = Promise.withResolvers<void>()
  const body = new ReadableStream(
    {
      pull() {
        pulled.resolve()
        return left
      },
      cancel: () => reject(new Error('the client left')),
    },
    { highWaterMark: 0 },
  )
  const cuts: unknown[] = []
  const socket = await request(new SentResponse(body, { headers: {} }), (error) => cuts.push(error))
  await pulled.promise
  socket.destroy()
  await expect(left).rejects.toThrow()
  await new Promise((resolve) => setImmediate(resolve))
  expect(cuts).toEqual([])
})

it('a body is read as far as its client reads, and cancelled when that leaves', async () => {
  let chunks = 0
  const cancelled = Promise.withResolvers<void>()
  const body = new ReadableStream(
    {
      pull(controller) {
        chunks += 1
        controller.enqueue(new Uint8Array(64 * 1024))
      },
      cancel: () => cancelled.resolve(),
    },
    { highWaterMark: 0 },
  )
  const socket = (await request(new SentResponse(body, { headers: {} }))).pause()
  let before = -1
  while (chunks === 0 || chunks !== before) {
    before = chunks
    await wait(40)
  }
  // What sockets buffer is some megabytes; without a limit, it goes on until the memory ends.
  expect(chunks).toBeLessThan(1000)
  socket.destroy()
  await cancelled.promise
})
