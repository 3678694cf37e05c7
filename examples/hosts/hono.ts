/**
 * The service as part of a program with Hono on Node. To run only the service, use `fish-cli serve`.
 *
 *   npm install hono @hono/node-server
 *   node hosts/hono.ts
 *
 * This file needs service.ts, which lists the environment variables.
 */
import { promisify } from 'node:util'
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import { createService, port } from './service.ts'

const { app, onStop } = await createService()
const hono = new Hono()
  .get('/hello', (c) => c.text('Hello from a route of the host.'))
  .all('*', (c) => app.fetch(c.req.raw, { address: getConnInfo(c).remote.address }))

const server = serve({ fetch: hono.fetch, hostname: '127.0.0.1', port }, (address) => {
  process.stdout.write(`listening on http://127.0.0.1:${address.port}\n`)
})
onStop(promisify(server.close.bind(server)))
