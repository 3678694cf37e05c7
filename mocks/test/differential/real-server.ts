import { GAMEMODES, LIMITS } from '@fish-crab/sdk/contract'
import { createApp, createPlatformEncoder, forwardedAddress } from '@fish-crab/server/app'
import { createStorage } from '@fish-crab/server/storage'
import type { ServerRequest } from 'srvx'
// Use the listener of `startServer()` directly, since `startServer()` accepts neither a clock nor a random source.
import { listen } from '../../../server/src/node/listener.ts'
// Derive ids and keys as a mock does, so that the responses of the server and of a mock are comparable.
import { applySeed } from '../../src/service/apply-seed.ts'
import { seededRandom } from '../../src/service/random.ts'
import { SEEDED_AT } from '../../src/service/seed.ts'
import { noEncryption, plainPasswords } from '../../src/service/service.ts'
import { optionsOf } from './setup.ts'

/** The secrets of every mock, so that session tokens are equal. */
const SECRETS = { encryption: 'encryption of a mock', session: 'sessions of a mock: 32 bytes and more' }
const SILENCE = { info() {}, warn() {}, error() {} }

/** The real service behind its Node listener, with memory storage, seeded data and an adjustable clock. */
export interface RealServer {
  readonly url: string
  advance(milliseconds: number): void
  close(): Promise<void>
}

/** Starts a real server on a free port. */
export async function startRealServer(seed: number): Promise<RealServer> {
  const { seed: data, keys, allowedOrigins, trustProxy, startAt, limits } = optionsOf(seed)
  let random = seededRandom('seed')
  let now: number = SEEDED_AT
  const storage = await createStorage({ driver: 'memory' })
  const app = createApp({
    storage,
    secrets: SECRETS,
    passwords: plainPasswords,
    // As in every mock, encryption consumes no random bytes, so that later random values stay equal.
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
    // Use the encoder of every mock, since different encoders produce bodies of different lengths.
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
