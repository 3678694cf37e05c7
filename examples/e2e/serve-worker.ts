/**
 * Runs the example of a Worker on workerd until SIGTERM. WORKERD is the path of workerd. As on Cloudflare, the Worker
 * is bundled without the modules of Node and runs behind an edge that adds the client's address.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { build } from 'esbuild'

const { WORKERD = '', FISH_STORAGE = '', FISH_PORT = '0' } = process.env
const folder = FISH_STORAGE.replace('file:', '')

const { outputFiles } = await build({
  entryPoints: [join(import.meta.dirname, 'hosts/worker.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['workerd', 'worker', 'browser'],
  external: ['node:*', ...builtinModules],
  tsconfigRaw: '{}',
})
const edge = `export default { fetch(request, { NEXT }) {
  const headers = new Headers(request.headers)
  headers.set('cf-connecting-ip', '192.0.2.1')
  return NEXT.fetch(new Request(request, { headers }))
} }`
const secrets = ['FISH_SECRET', 'FISH_JWT_SECRET', 'FISH_ADMIN_PASSWORD'].map(
  (name) => `(name = "${name}", fromEnvironment = "${name}")`,
)
const config = `using Workerd = import "/workerd/workerd.capnp";
const date :Text = "2026-11-01";
const config :Workerd.Config = (
  services = [
    (name = "edge", worker = (
      modules = [(name = "edge.js", esModule = ${JSON.stringify(edge)})],
      compatibilityDate = .date,
      bindings = [(name = "NEXT", service = "service")],
    )),
    (name = "service", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = .date,
      durableObjectNamespaces = [(className = "Service", uniqueKey = "service", enableSql = true)],
      durableObjectStorage = (localDisk = "disk"),
      bindings = [(name = "SERVICE", durableObjectNamespace = "Service"), ${secrets.join(', ')}],
    )),
    (name = "disk", disk = (path = ${JSON.stringify(join(folder, 'objects'))}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${FISH_PORT}", http = (), service = "edge")],
);
`
await mkdir(join(folder, 'objects'), { recursive: true })
await writeFile(join(folder, 'worker.js'), outputFiles[0]?.contents ?? '')
await writeFile(join(folder, 'config.capnp'), config)

const workerd = spawn(WORKERD, ['serve', join(folder, 'config.capnp'), '--control-fd=3'], {
  stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
})
const [line] = await once(createInterface({ input: workerd.stdio[3] as Readable }), 'line')
process.stdout.write(`listening on http://127.0.0.1:${JSON.parse(line).port}\n`)
// SIGTERM would let workerd wait until all streams end. SIGKILL is safe, because acknowledged catches are durable.
process.once('SIGTERM', () => workerd.kill('SIGKILL'))
await once(workerd, 'exit')
