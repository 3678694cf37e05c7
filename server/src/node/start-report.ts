import type { ServerConfig } from './config.ts'

/** What of a running server the report tells beside its configuration. */
export interface ReportedServer {
  readonly url: string
  readonly metrics: string
  readonly durability: string
}

/**
 * What the server runs with, for the log at its start. Of secrets it says only where they are from, and of a storage
 * address only what can hold no password.
 */
export function startReport(config: ServerConfig, version: string, { url, metrics, durability }: ReportedServer) {
  const { storage } = config
  return {
    version,
    url,
    metrics,
    storage: storage.driver,
    ...(storage.driver === 'file' ? { folder: storage.path } : {}),
    durability,
    rateLimit: config.rateLimit,
    rateWindowSeconds: config.rateWindow,
    adminRateLimit: config.adminRateLimit,
    trustedProxies: config.trustProxy,
    allowedOrigins: config.allowedOrigins ?? [],
    tokenTtlSeconds: config.tokenTtl ?? 'off',
    masterApiKey: config.masterApiKey === undefined ? 'none' : 'given',
    FISH_SECRET: config.secret === undefined ? 'made' : 'given',
    FISH_SECRET_PREVIOUS: config.previousSecrets?.length ?? 0,
    FISH_JWT_SECRET: config.jwtSecret === undefined ? 'made' : 'given',
  }
}
