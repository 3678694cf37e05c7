import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConformanceReport, listChecks, runConformance } from '@fish-crab/mocks/conformance'
import { readConfig, startServer } from '@fish-crab/server'
import type { PasswordHasher } from '@fish-crab/server/app'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  describeWithRedis,
  type RedisServer,
  startCluster,
  startRedis,
} from '../../scripts/test-support/redis-server.ts'

const ADMIN = { username: 'root', password: 'root-password' }
const MASTER = 'a-master-key-of-a-test'
const ORIGIN = 'https://allowed.example'
/**
 * A window that is long enough for the requests of a check, and short enough that a test can wait for the end of the
 * window.
 */
const WINDOW_SECONDS = 3
const SILENCE = { info() {}, warn() {}, error() {} }
/** Stores plain passwords for speed, since the strength of hashes does not matter in this test. */
const PLAIN: PasswordHasher = {
  hash: async (password) => password,
  verify: async (password, hash) => password === hash,
}
const NEEDS_ANOTHER_ADDRESS = [
  'failed-credentials-are-limited',
  'failed-credentials-of-one-name',
  'limit-is-per-client',
]

/** Starts a server with the given settings, and runs all checks against the server. */
async function reportOf(env: Readonly<Record<string, string>>): Promise<ConformanceReport> {
  const config = readConfig({
    env: {
      FISH_PORT: '0',
      FISH_LOG: 'silent',
      FISH_ADMIN_USERNAME: ADMIN.username,
      FISH_ADMIN_PASSWORD: ADMIN.password,
      FISH_MASTER_API_KEY: MASTER,
      FISH_ALLOWED_ORIGINS: `https://first.example,${ORIGIN}`,
      FISH_RATE_WINDOW: String(WINDOW_SECONDS),
      FISH_PUBLIC_LEADERBOARD: '1',
      ...env,
    },
  })
  const server = await startServer(config, { logger: SILENCE, version: 'conformance', passwords: PLAIN })
  onTestFinished(() => server.close())
  return runConformance({
    baseUrl: server.url,
    admin: ADMIN,
    masterApiKey: MASTER,
    allowedOrigin: ORIGIN,
    rateLimit: { requests: 25, windowMs: WINDOW_SECONDS * 1000 },
    maxWaitMs: (WINDOW_SECONDS + 2) * 1000,
  })
}

function expectConformant({ checks, notRemoved }: ConformanceReport): void {
  expect(checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  const skipped = checks.filter(({ outcome }) => outcome === 'skipped')
  // A check may be skipped because a new rate limit window starts in the middle of the check.
  const unexpected = skipped.filter(
    ({ id, reason }) => !NEEDS_ANOTHER_ADDRESS.includes(id) && reason !== 'a new window started in the meantime',
  )
  expect(unexpected).toEqual([])
  expect(checks).toHaveLength(listChecks().length)
  expect(notRemoved).toEqual([])
}

describe('a real server passes all conformance checks', () => {
  it('with memory storage', async () => {
    expectConformant(await reportOf({ FISH_STORAGE: 'memory:' }))
  })

  it('with file storage', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fish-conformance-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    expectConformant(await reportOf({ FISH_STORAGE: `file:${folder}` }))
  })
})

describeWithRedis('a real server passes all conformance checks', () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())

  const secrets = {
    FISH_SECRET: 'a seal secret of a test, long enough',
    FISH_JWT_SECRET: 'a session secret of a test, 32 bytes',
  }

  it('with one Redis server', async () => {
    expectConformant(await reportOf({ FISH_STORAGE: redis.url, ...secrets }))
  })

  it('with a Redis Cluster and a fifth gamemode', async () => {
    const nodes = await startCluster()
    onTestFinished(async () => {
      await Promise.all(nodes.map((node) => node.stop()))
    })
    const FISH_STORAGE = `redis-cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
    const FISH_GAMEMODES = 'boxsmp,oneblock,earth,survival,factions'
    expectConformant(await reportOf({ FISH_STORAGE, FISH_GAMEMODES, ...secrets }))
  })
})
