// What many players take: `npm run scale`. Simulates windows, commits and shards with the code that the service runs and
// the unit costs that `npm run bench` measures; docs/scale.md explains the tables that this prints.

import { Command } from 'ioredis'
import { LIMITS } from '../sdk/src/contract/limits.ts'
import { seededNumbers } from '../sdk/src/internal/seeded-numbers.ts'
import { userKey, userNameItem } from '../server/src/app/store/item-keys.ts'
import { createWindows } from '../server/src/storage/core/windows.ts'
import { itemPrefix, ownerKeys, windowKeys } from '../server/src/storage/redis/keys.ts'
import { textTable } from './lib/text-table.ts'

const PLAYERS = 10_000_000
/** Catches a second at the peak of a day, and on average. */
const PEAKS = [1000, 10_000]
const AVERAGE_OF_PEAK = 1 / 4
/** A reader asks for a collection after every third catch. */
const READS_OF_CATCHES = 1 / 3
const DAY = 86_400

/** Measured on one core of 2026, with one catch in a POST: see docs/scale.md. */
const COST = {
  file: { postUs: 200, getUs: 85, writeUs: 35, diskBytes: 451 },
  redis: { postUs: 250, getUs: 200, redisPostUs: 100, redisGetUs: 60, memoryBytes: 425, logBytes: 1660 },
  bytesOfPlayer: 2180,
  bytesOfFirstCatch: 5470,
  /** Both ways, HTTP and Redis. */
  wireBytesOfPost: { http: 1150, redis: 1610 },
  coreHour: 0.04,
  gigabyteMonth: { memory: 3, disk: 0.1 },
} as const

const random = seededNumbers(1)

/** Seconds until the next of so many events a second, which do not know each other. */
const gap = (perSecond: number) => -Math.log(1 - random()) / perSecond

/** Some catch far more than others: the most diligent thousandth makes a sixth of all catches. */
const player = () => Math.floor(PLAYERS * random() ** 4)

/**
 * The rate limit under clients without API keys, each of its own address. A window that is evicted forgets what it
 * counted: its client gets more than the limit allows.
 */
function simulateWindows(perSecond: number, seconds: number) {
  const windows = createWindows()
  const window = { durationMs: LIMITS.windowSeconds * 1000, limit: LIMITS.requests }
  /** What an unbounded table would count. */
  const exact = createWindows(Number.POSITIVE_INFINITY)
  let [requests, beyond, refused] = [0, 0, 0]
  for (let time = 0; time < seconds; time += gap(perSecond)) {
    const [key, now] = [`rate:${player()}`, Math.floor(time * 1000)]
    const isAllowed = windows.count(key, { ...window, now }).count <= window.limit
    const isRight = exact.count(key, { ...window, now }).count <= window.limit
    requests += 1
    if (isAllowed && !isRight) beyond += 1
    if (!isAllowed && isRight) refused += 1
  }
  return { open: exact.size, stored: windows.size, beyond: beyond / requests, refused: refused / requests }
}

/** Group commit: while one transaction is flushed, the next one collects. */
function simulateCommits(perSecond: number, { writeUs, flushMs }: { writeUs: number; flushMs: number }) {
  const waits: number[] = []
  let [time, committed] = [0, 0]
  let arrival = gap(perSecond)
  while (waits.length < 200_000) {
    time = Math.max(time, arrival)
    const batch: number[] = []
    while (arrival <= time && batch.length < 1024) {
      batch.push(arrival)
      arrival += gap(perSecond)
    }
    time += (batch.length * writeUs) / 1e6 + flushMs / 1000
    committed += 1
    for (const since of batch) waits.push((time - since) * 1000)
  }
  waits.sort((a, b) => a - b)
  const at = (share: number) => waits[Math.floor((waits.length - 1) * share)] ?? Number.NaN
  return { batch: waits.length / committed, p50: at(0.5), p99: at(0.99) }
}

const SLOTS = 16_384

/** Shares of the fullest shard: of writes, and of the memory of players, of whom each kind of item is in one slot. */
function simulateShards(shards: number) {
  const shardOf = (key: string) => Math.floor(((new Command('get', [key]).getSlot() ?? 0) * shards) / SLOTS)
  const writes = new Array<number>(shards).fill(0)
  const windows = new Array<number>(shards).fill(0)
  for (let sample = 0; sample < 100_000; sample += 1) {
    const id = String(player())
    for (const [loads, key] of [
      [writes, ownerKeys(id).about],
      [windows, windowKeys(`rate:${id}`).windows],
    ] as const) {
      const shard = shardOf(key)
      loads[shard] = (loads[shard] ?? 0) + 1
    }
  }
  const fullest = (loads: readonly number[]) => (Math.max(...loads) / 100_000) * shards
  const items = new Set(
    [userKey('alex'), userNameItem('id'), 'secret:id', 'api-key:hash'].map((key) => itemPrefix(key)),
  )
  return { writes: fullest(writes), windows: fullest(windows), itemShards: new Set([...items].map(shardOf)).size }
}

function print(title: string, rows: readonly (readonly (string | number)[])[]): void {
  process.stdout.write(`\n${title}\n\n${textTable(rows.map((row) => row.map(String)))}`)
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`
const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

print('What the catches take', [
  [
    'catches a second',
    'cores, file',
    'cores, on Redis',
    'of Redis',
    'disk a day',
    'memory a day',
    'log a day',
    'network',
  ],
  ...PEAKS.map((peak) => {
    const cores = (post: number, read: number) => ((peak * (post + read * READS_OF_CATCHES)) / 1e6).toFixed(1)
    const daily = peak * AVERAGE_OF_PEAK * DAY
    const { file, redis, wireBytesOfPost } = COST
    return [
      peak,
      cores(file.postUs, file.getUs),
      cores(redis.postUs, redis.getUs),
      cores(redis.redisPostUs, redis.redisGetUs),
      gigabytes(daily * file.diskBytes),
      gigabytes(daily * redis.memoryBytes),
      gigabytes(daily * redis.logBytes),
      `${((peak * (wireBytesOfPost.http + wireBytesOfPost.redis) * 8) / 1e6).toFixed(0)} Mbit/s`,
    ]
  }),
])

const million = 1e6
const coreCost = (us: number) => ((us * million) / 1e6 / 3600) * COST.coreHour
print('A million catches, in US dollars', [
  ['storage', 'computing', 'a month of keeping them'],
  [
    'file',
    coreCost(COST.file.postUs).toFixed(4),
    ((COST.file.diskBytes * million * COST.gigabyteMonth.disk) / 1e9).toFixed(3),
  ],
  [
    'Redis',
    coreCost(COST.redis.postUs + COST.redis.redisPostUs).toFixed(4),
    ((COST.redis.memoryBytes * million * COST.gigabyteMonth.memory) / 1e9).toFixed(3),
  ],
])

print(`${PLAYERS / 1e6} million players without a catch, and with one each`, [
  ['items of players', 'with a first catch'],
  [gigabytes(PLAYERS * COST.bytesOfPlayer), gigabytes(PLAYERS * (COST.bytesOfPlayer + COST.bytesOfFirstCatch))],
])

print('Windows of the rate limit, clients without API keys', [
  ['requests a second', 'clients in 5 minutes', 'stored', 'granted beyond the limit', 'refused below it'],
  ...[100, 300, 1000, 3000].map((rate) => {
    const { open, stored, beyond, refused } = simulateWindows(rate, LIMITS.windowSeconds)
    return [rate, open, stored, percent(beyond), percent(refused)]
  }),
])

print('Commits of one file, by the time that a flush takes', [
  ['catches a second', 'flush', 'catches of a commit', 'median', '99th percentile'],
  ...[
    [1000, 0.2],
    [1000, 5],
    [4000, 0.2],
    [4000, 5],
    [4000, 20],
  ].map(([rate = 0, flushMs = 0]) => {
    const { batch, p50, p99 } = simulateCommits(rate, { writeUs: COST.file.writeUs, flushMs })
    return [rate, `${flushMs} ms`, batch.toFixed(1), `${p50.toFixed(1)} ms`, `${p99.toFixed(1)} ms`]
  }),
])

print('The fullest shard of a Redis Cluster, of what an equal share is', [
  ['shards', 'writes', 'windows', 'shards that have items of players'],
  ...[3, 6, 12, 24, 48].map((shards) => {
    const { writes, windows, itemShards } = simulateShards(shards)
    return [shards, writes.toFixed(2), windows.toFixed(2), itemShards]
  }),
])
