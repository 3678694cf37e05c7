/**
 * The service as part of a program on Deno. The `file:` storage does not work on Deno.
 *
 *   deno add npm:@fish-crab/server
 *   FISH_STORAGE=redis://127.0.0.1 deno run -NERS hosts/deno.ts
 *
 * This file needs service.ts, which lists the environment variables.
 */
import process from 'node:process'
import { createService, port } from './service.ts'

const { app, onStop } = await createService()
const server = Deno.serve(
  {
    hostname: '127.0.0.1',
    port,
    onListen: (address) => process.stdout.write(`listening on http://127.0.0.1:${address.port}\n`),
  },
  (request, info) => app.fetch(request, { address: info.remoteAddr.hostname }),
)
onStop(() => server.shutdown())
