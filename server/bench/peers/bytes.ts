/** The least that a server can do: `node bytes.ts FOLDER` responds to `/NAME` with a file of the folder from memory. */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

const [folder = ''] = process.argv.slice(2)
const files = new Map(readdirSync(folder).map((name) => [`/${name}`, readFileSync(join(folder, name))]))
const server = createServer((request, response) => {
  const body = files.get(request.url ?? '') ?? ''
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => process.stderr.write(`port ${(server.address() as AddressInfo).port}\n`))
