import { ACCOUNT_LIMITS } from '@fish-crab/sdk/contract'
import type { ServerConfig } from './config.ts'

export interface StartedServer {
  readonly url: string
  readonly metrics: string
  readonly durability: string
}

/**
 * The report contains no secrets. From a storage address, the report shows only the parts that cannot contain a
 * password.
 */
export function startReport(config: ServerConfig, version: string, { url, metrics, durability }: StartedServer) {
  const { storage } = config
  const secretSource = (given: string | undefined) => {
    if (given !== undefined) return 'given'
    return storage.driver === 'file' ? 'stored' : 'generated'
  }
  return {
    version,
    url,
    publicUrl: config.publicUrl ?? 'unknown',
    metrics,
    storage: storage.driver,
    ...(storage.driver === 'file' ? { folder: storage.path } : {}),
    durability,
    gamemodes: config.gamemodes,
    rateLimit: config.rateLimit,
    rateWindowSeconds: config.rateWindow,
    adminRateLimit: config.adminRateLimit,
    trustedProxies: config.trustProxy,
    allowedOrigins: config.allowedOrigins ?? [],
    tokenTtlSeconds: config.tokenTtl ?? 'off',
    masterApiKey: config.masterApiKey === undefined ? 'none' : 'given',
    FISH_SECRET: secretSource(config.secret),
    FISH_SECRET_PREVIOUS: config.previousSecrets?.length ?? 0,
    FISH_JWT_SECRET: secretSource(config.jwtSecret),
  }
}

export function startText(report: ReturnType<typeof startReport>): string {
  const { allowedOrigins, trustedProxies, tokenTtlSeconds, FISH_SECRET_PREVIOUS: previous } = report
  const secrets = [
    `FISH_SECRET ${report.FISH_SECRET}${previous > 0 ? ` with ${previous} previous` : ''}`,
    `FISH_JWT_SECRET ${report.FISH_JWT_SECRET}`,
    `master API key ${report.masterApiKey}`,
  ]
  const facts = {
    'for players': report.publicUrl === 'unknown' ? 'address unknown (FISH_PUBLIC_URL)' : report.publicUrl,
    storage: report.folder === undefined ? report.storage : `${report.storage} ${report.folder}`,
    durability: report.durability,
    gamemodes: report.gamemodes.join(', '),
    'rate limit': `${report.rateLimit} requests per ${report.rateWindowSeconds} s; administrators ${report.adminRateLimit} per ${ACCOUNT_LIMITS.adminWindowSeconds} s`,
    proxies: trustedProxies === 0 ? 'none trusted' : `${trustedProxies} trusted`,
    origins: allowedOrigins.length === 0 ? 'none allowed' : allowedOrigins.join(', '),
    tokens: tokenTtlSeconds === 'off' ? 'of any age' : `at most ${tokenTtlSeconds} s old`,
    secrets: secrets.join(', '),
    metrics: report.metrics,
  }
  const lines = Object.entries(facts).map(([title, text]) => `  ${title.padEnd(14)}${text}\n`)
  return `ready: version ${report.version} on ${report.url}\n${lines.join('')}`
}
