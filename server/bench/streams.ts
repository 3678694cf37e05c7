// Measures idle event streams: `npm run build && node server/bench/streams.ts [ROUNDS]`. This benchmark runs on Linux
// only. Two servers run with the same data. One server has the maximum number of listeners, each on its own collection.
// A round takes 50 s, since the server sends heartbeats every 15 s.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { STREAM_LIMITS } from '@fish-crab/sdk/contract'
import { compare, readRounds, report } from '../../scripts/bench/results.ts'
import { get, type Load, load } from './load.ts'
import { cpuOf, type Server, withServers } from './processes.ts'
import { addUsers, seedStore } from './seed.ts'

const rounds = readRounds(3)

// A tenth of the streams is reserved for clients with an API key.
const LISTENERS = 0.9 * STREAM_LIMITS.total
const OPENED_AT_ONCE = 50
/**
 * In this period, each stream gets one heartbeat, and the server checks three times for changes of which it got no
 * signal.
 */
const PERIOD_MS = 15_000
const CONNECTIONS = 2
const READ = get('/get/fish?name=Player0&gamemode=earth')
/** Code that collects garbage at SIGUSR2, so that only memory in use is measured. */
const COLLECTOR = encodeURIComponent("process.on('SIGUSR2', () => gc())")
const COLLECTION_MS = 1000

interface Sample {
  /** The memory that the streams use, in megabytes. */
  readonly memory: number
  /** The CPU time of each server in a period without requests, in milliseconds. */
  readonly cpu: { readonly listened: number; readonly alone: number }
  readonly reads: { readonly listened: Load; readonly alone: Load }
}

await withServers(async ({ folder, startOurs }) => {
  const start = async (name: string) => {
    const path = join(folder, name)
    await seedStore(path, (store) => addUsers(store, LISTENERS))
    return startOurs(`file:${path}`, { NODE_OPTIONS: `--expose-gc --import=data:text/javascript,${COLLECTOR}` })
  }
  const [listened, alone] = [await start('listened'), await start('alone')]
  for (const { port } of [listened, alone, listened, alone]) {
    await load({ port, connections: CONNECTIONS, requests: 20_000, next: READ })
  }
  const samples: Sample[] = []
  for (let round = 0; round < rounds; round += 1) samples.push(await measure(listened, alone))

  const of = (pick: (sample: Sample) => number) => samples.map(pick)
  const title = `${LISTENERS.toLocaleString('en')} idle event streams`
  const reads = (pick: (sample: Load) => number) => ({
    unit: 'ms' as const,
    ours: of((sample) => pick(sample.reads.listened)),
    beside: { name: 'without them', values: of((sample) => pick(sample.reads.alone)) },
  })
  const results = [
    compare({
      what: `${title}, memory`,
      unit: 'MB',
      ours: of(({ memory }) => memory),
      beside: { limit: 40 },
    }),
    compare({
      what: `${title}, CPU of ${PERIOD_MS / 1000} s`,
      unit: 'ms',
      ours: of(({ cpu }) => Math.max(0, cpu.listened - cpu.alone)),
      // The limit is 2 % of a CPU. Each stream gets a heartbeat every 15 s, which is a write to the stream's socket.
      beside: { limit: PERIOD_MS / 50 },
    }),
    compare({ what: `GET beside ${title}, median`, ...reads(({ p50 }) => p50), goal: { atMost: 1.1 } }),
    compare({ what: `GET beside ${title}, 99th percentile`, ...reads(({ p99 }) => p99), goal: { atMost: 1.25 } }),
  ]
  report(results)
})

async function measure(listened: Server, alone: Server): Promise<Sample> {
  const before = await memoryInUse(listened)
  const sockets: Socket[] = []
  while (sockets.length < LISTENERS) {
    const opening = Array.from({ length: OPENED_AT_ONCE }, (_, index) => listen(listened, sockets.length + index))
    sockets.push(...(await Promise.all(opening)))
  }
  const memory = (await memoryInUse(listened)) - before
  const cpuBefore = { listened: cpuOf(listened), alone: cpuOf(alone) }
  await sleep(PERIOD_MS)
  const cpu = {
    listened: (cpuOf(listened) - cpuBefore.listened) / 1000,
    alone: (cpuOf(alone) - cpuBefore.alone) / 1000,
  }
  const reads = { alone: await read(alone), listened: await read(listened) }
  if (sockets.some(({ destroyed }) => destroyed)) throw new Error('A stream has ended.')
  for (const socket of sockets) socket.destroy()
  // The next round starts after the server has closed all streams.
  while ((await metricOf(listened, 'fish_event_streams')) > 0) await sleep(50)
  return { memory, cpu, reads }
}

/**
 * Opens a stream. The loopback address changes after every few streams, since the number of streams per client is
 * limited.
 */
async function listen({ port }: Server, index: number): Promise<Socket> {
  const client = Math.floor(index / STREAM_LIMITS.perClient)
  const localAddress = `127.0.${1 + (client >> 7)}.${1 + (client & 127)}`
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  await once(socket, 'connect')
  socket.write(`GET /events?name=Player${index}&gamemode=earth HTTP/1.1\r\nHost: bench\r\n\r\n`)
  let text = ''
  while (!text.includes('event: ready')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    text += chunk
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(text)
  }
  return socket.resume()
}

function read({ port }: Server): Promise<Load> {
  const end = performance.now() + PERIOD_MS
  const isRunning = () => performance.now() < end
  return load({ port, connections: CONNECTIONS, requests: Number.POSITIVE_INFINITY, next: READ, isRunning })
}

async function memoryInUse(server: Server): Promise<number> {
  server.child.kill('SIGUSR2')
  await sleep(COLLECTION_MS)
  const names = ['nodejs_heap_size_used_bytes', 'nodejs_external_memory_bytes']
  const bytes = await Promise.all(names.map((name) => metricOf(server, name)))
  return bytes.reduce((sum, each) => sum + each, 0) / 2 ** 20
}

async function metricOf({ port }: Server, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}
