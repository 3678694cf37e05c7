import { resolve } from 'node:path'
import { LIMITS } from '@fish-crab/sdk/contract'
import type { ServerRequest } from 'srvx'
import { createApp } from '../app/app.ts'
import { forwardedAddress } from '../app/limits/client.ts'
import type { Logger, PasswordHasher } from '../app/options.ts'
import { SealError } from '../app/users/vault.ts'
import { createStorage } from '../storage/index.ts'
import type { FishStorage } from '../storage/types.ts'
import type { ServerConfig } from './config.ts'
import { createDocs } from './docs-page.ts'
import { announceOn, ensureFirstAdmin, type MadeAdmin } from './first-admin.ts'
import { type ConnectionLimits, listen } from './listener.ts'
import { createServiceMetrics, type ServiceMetrics } from './metrics/service-metrics.ts'
import { createScryptHasher } from './passwords.ts'
import { type LoadedSecrets, loadSecrets, makeSecrets } from './secrets-file.ts'

/** What {@link startServer} takes beside the configuration. */
export interface StartOptions {
  readonly logger: Logger
  readonly version: string
  /** @default scrypt at OWASP's cost */
  readonly passwords?: PasswordHasher
  /** What connections may take; for tests and unusual hosts. @default see the README, "Operate it" */
  readonly connections?: Partial<ConnectionLimits>
  /**
   * Told the first administrator's name and made-up password, once, before that administrator is made.
   * @default writes both on stderr
   */
  readonly announceAdmin?: (made: MadeAdmin) => void
  /** How long requests in flight may take when the server stops, in milliseconds. @default 10000 */
  readonly graceMs?: number
}

/** A server that answers. */
export interface RunningServer {
  /** Where it listens, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** What an acknowledgement of the storage means. */
  readonly durability: string
  /** What the operator should know about that, each a sentence. */
  readonly warnings: readonly string[]
  /** Fails readiness, lets requests in flight finish, and closes the storage. */
  close(): Promise<void>
}

const GRACE_MS = 10_000

/**
 * Starts the service: storage, secrets, first administrator, socket, in this order. What was opened is closed again
 * when a later step fails.
 * @example const server = await startServer(readConfig({ env: process.env }), { logger, version: '1.0.0' })
 */
export async function startServer(config: ServerConfig, options: StartOptions): Promise<RunningServer> {
  const storage = await createStorage(config.storage)
  const metrics = createServiceMetrics()
  try {
    return await startOn({ storage, metrics }, config, options)
  } catch (error) {
    metrics.dispose()
    await storage.dispose()
    throw error
  }
}

async function startOn(
  { storage, metrics }: { readonly storage: FishStorage; readonly metrics: ServiceMetrics },
  config: ServerConfig,
  options: StartOptions,
): Promise<RunningServer> {
  const { logger, version, passwords = createScryptHasher(), connections = {}, graceMs = GRACE_MS } = options
  const { secrets, missing, discard } = await secretsOf(config)
  let accepting = true
  const isAccepting = () => accepting
  const app = createApp({
    storage,
    secrets,
    passwords,
    version,
    logger,
    isAccepting,
    metrics,
    docs: createDocs(),
    clientAddress: (request) =>
      forwardedAddress((request as ServerRequest).ip ?? '', request.headers.get('x-forwarded-for'), config.trustProxy),
    rateLimit: { requests: config.rateLimit, windowMs: config.rateWindow * 1000 },
    adminRateLimit: { requests: config.adminRateLimit, windowMs: LIMITS.adminWindowSeconds * 1000 },
    ...(config.masterApiKey === undefined ? {} : { masterApiKey: config.masterApiKey }),
    ...(config.allowedOrigins === undefined ? {} : { allowedOrigins: config.allowedOrigins }),
    ...(config.tokenTtl === undefined ? {} : { tokenTtlSeconds: config.tokenTtl }),
  })
  await app.checkSecrets().catch(async (error: unknown) => {
    await discard()
    throw error instanceof SealError && missing ? missing : error
  })
  const first = { username: config.adminUsername, password: config.adminPassword }
  await ensureFirstAdmin(app, first, options.announceAdmin ?? announceOn(process.stderr))
  const listener = await listen(app.fetch, {
    host: config.host,
    port: config.port,
    logger,
    isAccepting,
    onDrop: metrics.observeDroppedConnection,
    limits: connections,
  })
  return {
    url: listener.url,
    durability: storage.durability,
    warnings: storage.warnings ?? [],
    async close() {
      accepting = false
      await listener.close(graceMs)
      metrics.dispose()
      await storage.dispose()
    },
  }
}

async function secretsOf({ storage, secret, previousSecrets, jwtSecret }: ServerConfig): Promise<LoadedSecrets> {
  const given = {
    ...(secret ? { seal: secret } : {}),
    ...(previousSecrets ? { sealPrevious: previousSecrets } : {}),
    ...(jwtSecret ? { session: jwtSecret } : {}),
  }
  if (storage.driver === 'file') return loadSecrets(resolve(storage.path), given)
  return { secrets: { ...makeSecrets(), ...given }, discard: async () => {} }
}
