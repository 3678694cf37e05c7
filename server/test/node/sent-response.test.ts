import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { SentResponse } from '../../src/node/sent-response.ts'

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
  const server = createServer((_, res) => void new SentResponse(body, { headers: {} }).send(res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
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
