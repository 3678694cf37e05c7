/**
 * The service as part of a program on Bun.
 *
 *   bun add @fish-crab/server
 *   bun hosts/bun.ts
 *
 * This file needs service.ts, which lists the environment variables.
 */
import { createService, port } from './service.ts'

const { app, onStop } = await createService()
const server = Bun.serve({
  hostname: '127.0.0.1',
  port,
  fetch: (request, server) => app.fetch(request, { address: server.requestIP(request)?.address }),
})
process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`)
onStop(() => server.stop())
