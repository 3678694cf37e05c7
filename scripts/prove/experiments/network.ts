import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort, startRedis } from '../../test-support/redis-server.ts'
import type { Experiment } from '../experiment.ts'
import { Journal } from '../journal.ts'
import { Load } from '../load.ts'
import { catchesOf, nothingLost, whilePosting } from '../posted.ts'
import { readCollections, Service, temporaryFolder } from '../service.ts'
import { noNginx, noPrlimit, noRedis } from '../system.ts'

/**
 * Starts nginx in front of servers. nginx retries failed requests on the next server. This is safe, because the service
 * stores a repeated token only once.
 */
async function startBalancer(
  folder: string,
  servers: readonly Service[],
): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
    events { worker_connections 1024; }
    http {
      access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder};
      upstream fish { ${servers.map(({ url }) => `server ${url.slice('http://'.length)} max_fails=0;`).join(' ')} keepalive 32; }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://fish; proxy_http_version 1.1; proxy_set_header Connection "";
          proxy_next_upstream error timeout http_502 http_503 non_idempotent;
        }
      }
    }`,
  )
  const child: ChildProcess = spawn('nginx', ['-c', file, '-e', join(folder, 'error.log')], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const isThere = () =>
    fetch(`${url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isThere())) {
    if (child.exitCode !== null) throw new Error('nginx did not start.')
    await wait(20)
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Returns the memory of a process in MB and the number of its open descriptors. */
function figuresOf(pid: number): { readonly memory: number; readonly descriptors: number } {
  const [, resident = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return { memory: (Number(resident) * 4096) / 1e6, descriptors: readdirSync(`/proc/${pid}/fd`).length }
}

/** The usual limit of open descriptors per process. */
const DESCRIPTORS = 1024
const SOAK_MINUTES = 30

export const NETWORK_EXPERIMENTS: readonly Experiment[] = [
  {
    name: 'SIGTERM under load',
    how: 'While clients post, the server is stopped and started again. Each stop has to end with status 0.',
    async run(scale) {
      const stops = scale === 'short' ? 5 : 200
      using folder = temporaryFolder()
      const statuses = new Set<number | null>()
      const catches = await whilePosting({ FISH_STORAGE: `file:${folder.path}/data` }, async ({ service, load }) => {
        for (let stop = 0; stop < stops; stop += 1) {
          await load.acknowledgements(20)
          statuses.add(await service.end('SIGTERM'))
          await service.start()
        }
      })
      const { isMet, ...finding } = nothingLost(`${stops} stops, status ${[...statuses].join()}`, catches)
      return { ...finding, limit: 'nothing lost, status 0', isMet: isMet && statuses.size === 1 && statuses.has(0) }
    },
  },
  {
    name: 'rolling restart of 4 servers',
    how: 'Four servers behind nginx share one Redis. The servers are stopped and started one after the other. No request of a client may fail.',
    missing: () => noRedis() ?? noNginx(),
    async run(scale) {
      const rounds = scale === 'short' ? 1 : 25
      using folder = temporaryFolder()
      const redis = await startRedis({ appendfsync: 'always' })
      const servers: Service[] = []
      try {
        for (let server = 0; server < 4; server += 1) servers.push(await Service.start({ FISH_STORAGE: redis.url }))
        await using balancer = await startBalancer(folder.path, servers)
        const [first] = servers as [Service]
        const players = await first.createPlayers(4)
        await using journal = await Journal.create(join(folder.path, 'journal'))
        const load = new Load(players, journal, () => balancer.url)
        for (let round = 0; round < rounds; round += 1) {
          for (const server of servers) {
            await load.acknowledgements(20)
            await server.end('SIGTERM')
            await load.acknowledgements(20)
            await server.start()
          }
        }
        await load.end()
        const catches = catchesOf(journal, load, await readCollections(first.url, players))
        const { isMet, ...finding } = nothingLost(`${rounds * 4} restarts, ${load.failed} requests failed`, catches)
        return { ...finding, limit: 'nothing lost, 0 failed', isMet: isMet && load.failed === 0 }
      } finally {
        await Promise.all(servers.map((server) => server.end('SIGKILL')))
        await redis.stop()
      }
    },
  },
  {
    name: 'no descriptor left',
    how: 'While clients post and other clients connect, the server runs out of file descriptors. Later, descriptors are free again.',
    missing: noPrlimit,
    async run(scale) {
      const times = scale === 'short' ? 3 : 100
      using folder = temporaryFolder()
      const catches = await whilePosting({ FISH_STORAGE: `file:${folder.path}/data` }, async ({ service, load }) => {
        const allow = (descriptors: number) =>
          execFileSync('prlimit', ['--pid', String(service.pid), `--nofile=${descriptors}:`])
        const { port } = new URL(service.url)
        for (let time = 0; time < times; time += 1) {
          allow(figuresOf(service.pid).descriptors)
          const others = Array.from({ length: 50 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}))
          await load.acknowledgements(5)
          allow(DESCRIPTORS)
          const response = await fetch(`${service.url}/livez`, { headers: { connection: 'close' } })
          if (!response.ok) throw new Error(`/livez: ${response.status}`)
          for (const socket of others) socket.destroy()
        }
      })
      return nothingLost(`${times} times`, catches)
    },
  },
  {
    name: 'half an hour under load',
    how: 'Clients post and 50 listeners follow the events. Memory and descriptors of the last ten minutes are compared with the values of the previous ten minutes.',
    isLong: true,
    missing: () => (process.platform === 'linux' ? undefined : '/proc is read on Linux alone'),
    async run() {
      using folder = temporaryFolder()
      const figures: ReturnType<typeof figuresOf>[] = []
      const catches = await whilePosting(
        { FISH_STORAGE: `file:${folder.path}/data` },
        async ({ service, players }) => {
          const stop = new AbortController()
          for (let listener = 0; listener < 50; listener += 1) {
            const { name, apiKey } = players[listener % players.length] ?? { name: '', apiKey: '' }
            const headers = { 'x-api-key': apiKey }
            const events = await fetch(`${service.url}/events?name=${name}&gamemode=earth`, {
              headers,
              signal: stop.signal,
            })
            void events.body?.pipeTo(new WritableStream(), { signal: stop.signal }).catch(() => {})
          }
          for (let second = 0; second < SOAK_MINUTES * 60; second += 1) {
            await wait(1000)
            figures.push(figuresOf(service.pid))
          }
          stop.abort()
        },
        { clients: 4, pauseMs: 200 },
      )
      const third = Math.floor(figures.length / 3)
      const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
      const [middle, last] = [figures.slice(third, 2 * third), figures.slice(2 * third)].map((part) => ({
        memory: mean(part.map(({ memory }) => memory)),
        descriptors: mean(part.map(({ descriptors }) => descriptors)),
      })) as [{ memory: number; descriptors: number }, { memory: number; descriptors: number }]
      const grown = last.memory / middle.memory - 1
      const { isMet, ...finding } = nothingLost(
        `memory ${middle.memory.toFixed(0)} → ${last.memory.toFixed(0)} MB, descriptors ${middle.descriptors.toFixed(0)} → ${last.descriptors.toFixed(0)}`,
        catches,
      )
      const isFlat = grown < 0.1 && last.descriptors - middle.descriptors < 2
      return { ...finding, limit: 'nothing lost, memory +10 %, no descriptor', isMet: isMet && isFlat }
    },
  },
]
