import { GAMEMODES, LIMITS } from '@fish-crab/sdk/contract'
import { createApp, createPlatformEncoder, forwardedAddress } from '@fish-crab/server/app'
import { createStorage } from '@fish-crab/server/storage'
import type { ServerRequest } from 'srvx'
// The edge that `startServer` listens with, which takes neither a clock nor randomness to compare by.
import { listen } from '../../../server/src/node/listener.ts'
// The same ids and keys, derived in the same way, on a service without a mock.
import { applySeed } from '../../src/service/apply-seed.ts'
import { seededRandom } from '../../src/service/random.ts'
import { SEEDED_AT } from '../../src/service/seed.ts'
import { noEncryption, plainPasswords } from '../../src/service/service.ts'
import { optionsOf } from './setup.ts'

/** Those of every mock, so that sessions are the same text. */
const SECRETS = { encryption: 'encryption of a mock', session: 'sessions of a mock: 32 bytes and more' }
const SILENCE = { info() {}, warn() {}, error() {} }

/** The service itself behind its Node edge, on memory storage, with the data of a seed and a clock to be moved. */
export interface RealServer {
  readonly url: string
  advance(milliseconds: number): void
  close(): Promise<void>
}

/** Starts it on a free port. */
export async function startRealServer(seed: number): Promise<RealServer> {
  const { seed: data, keys, allowedOrigins, trustProxy, startAt, limits } = optionsOf(seed)
  let random = seededRandom('seed')
  let now: number = SEEDED_AT
  const storage = await createStorage({ driver: 'memory' })
  const app = createApp({
    storage,
    secrets: SECRETS,
    passwords: plainPasswords,
    // Draws no randomness, as in every mock.
    encryption: noEncryption,
    version: 'mock',
    clientAddress: (request) =>
      forwardedAddress(
        (request as ServerRequest).ip ?? '127.0.0.1',
        request.headers.get('x-forwarded-for'),
        trustProxy,
      ),
    clock: () => now,
    random: (bytes) => random(bytes),
    // That of every mock: two encoders make bodies of different lengths.
    contentEncoder: createPlatformEncoder(['gzip', 'br']),
    rateLimit: { requests: LIMITS.requests, windowMs: LIMITS.windowSeconds * 1000 },
    masterApiKey: keys.master,
    allowedOrigins,
    ...limits,
  })
  await app.checkSecrets()
  const setRandom = (source: typeof random) => {
    random = source
  }
  await applySeed(data, { app, gamemodes: GAMEMODES, setRandom })
  setRandom(seededRandom('requests'))
  now = startAt
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    fetch: app.fetch,
    logger: SILENCE,
    isAccepting: () => true,
  })
  return {
    url: listener.url,
    advance(milliseconds) {
      now += milliseconds
    },
    async close() {
      await listener.close(0)
      await storage.dispose()
    },
  }
}
