// Measures repeated reads of large collections: `npm run build && node server/bench/collections.ts [ROUNDS]`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { compare, measureRounds, readRounds, report } from '../../scripts/bench/results.ts'
import { get, type LoadSample, underLoad } from './load.ts'
import { createUsers, type Server, type Servers, stop, withServers } from './processes.ts'
import { addCatches, seedStore } from './seed.ts'

const rounds = readRounds(5)

/**
 * The same number as in requests.ts. With fewer connections, waking up the idle process would cost more than a short
 * response.
 */
const CONNECTIONS = 8
const SHORT = { connections: CONNECTIONS, requests: 5000 }
/** `identity` is for clients without compression, and `gzip` for browsers and most other clients. */
const CODINGS = ['identity', 'gzip'] as const
const SIZES = [
  { entries: 1000, goal: { identity: 2.6, gzip: 2.6 }, requests: 2000 },
  // This collection is too large for the cache, so the server reads it from the storage each time. With gzip, the peer
  // sends only a fourth of the bytes.
  { entries: 100_000, goal: { identity: 250, gzip: 1000 }, requests: 20 },
] as const

interface Row {
  readonly title: string
  readonly ours: () => Promise<LoadSample>
  readonly peer: string
  readonly beside: () => Promise<LoadSample>
  readonly goal: number
}

await withServers(async (servers) => {
  const rows = await openRows(servers)
  const subjects = rows.flatMap(({ ours, beside }) => [ours, beside])
  const samplesOf = await measureRounds(rounds, subjects)
  const cpu = (subject: Row['ours']) => samplesOf(subject).map((sample) => sample.cpu)
  report(
    rows.map(({ title, ours, peer, beside, goal }) =>
      compare({
        what: `${title}, CPU`,
        unit: 'µs',
        ours: cpu(ours),
        beside: { name: peer, values: cpu(beside) },
        goal: { atMost: goal },
      }),
    ),
  )
})

/** Fills a store with collections, one write per entry, and starts a server with this store. */
async function openRows({ folder, startOurs, startPeer }: Servers): Promise<readonly Row[]> {
  const storage = `file:${join(folder, 'data')}`
  const first = await startOurs(storage)
  const users = await createUsers(
    first,
    SIZES.map(({ entries }) => `Has${entries}`),
  )
  await stop(first)
  await seedStore(join(folder, 'data'), async (store) => {
    for (const [index, { entries }] of SIZES.entries()) await addCatches(store, users[index]?.id ?? '', entries)
  })
  const ours = await startOurs(storage)
  const bodies = join(folder, 'bodies')
  mkdirSync(bodies)
  const collections = SIZES.flatMap(({ entries, ...size }) =>
    CODINGS.map((coding) => {
      const path = `/get/fish?name=Has${entries}&gamemode=earth`
      return { ...size, entries, coding, path, file: `${entries}-${coding}` }
    }),
  )
  const tags: string[] = []
  for (const { path, coding, file } of collections) {
    const { body, etag } = await read(ours, path, coding)
    writeFileSync(join(bodies, file), body)
    tags.push(etag)
  }
  const peer = await startPeer('bytes', [bodies])
  const trivial = underLoad(ours, { ...SHORT, next: get('/status') })
  return collections.flatMap(({ entries, coding, path, file, goal, requests }, index): readonly Row[] => {
    const title = `GET of ${entries.toLocaleString('en')} entries`
    const headers = { 'Accept-Encoding': coding }
    const load = { connections: CONNECTIONS, requests }
    const whole = {
      title: `${title}, ${coding === 'identity' ? 'not compressed' : coding}`,
      ours: underLoad(ours, { ...load, next: get(path, headers) }),
      peer: 'node:http, the same bytes',
      beside: underLoad(peer, { ...load, next: get(`/${file}`) }),
      goal: goal[coding],
    }
    if (coding !== 'identity') return [whole]
    const tagged = get(path, { ...headers, 'If-None-Match': tags[index] ?? '' })
    const unchanged = {
      title: `${title}, If-None-Match`,
      ours: underLoad(ours, { ...SHORT, next: tagged }),
      peer: 'GET /status',
      beside: trivial,
      goal: 1.2,
    }
    return [whole, unchanged]
  })
}

/** Reads with `node:http`, because `fetch` would decompress the body. */
async function read({ port }: Server, path: string, coding: string): Promise<{ body: Buffer; etag: string }> {
  return new Promise((resolve, reject) => {
    request({ port, path, headers: { 'accept-encoding': coding } }, (response) => {
      buffer(response).then((body) => resolve({ body, etag: response.headers.etag ?? '' }), reject)
    })
      .on('error', reject)
      .end()
  })
}
