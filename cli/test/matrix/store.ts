import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreatedUser } from '@fish-crab/sdk/contract'
import { createLogger, readConfig, startServer } from '@fish-crab/server'
import { PASSWORDS, run } from '../harness.ts'
import { SECRETS } from './canaries.ts'

/** The data folder of a server that has stopped. */
export interface StoppedStore extends AsyncDisposable {
  readonly folder: string
  /** The secrets that the server generated for the player. */
  readonly made: readonly string[]
}

/** Creates a store on first use. */
export interface Stores extends AsyncDisposable {
  readonly store: () => Promise<StoppedStore>
  /** The secrets that the server generated for the player. Empty until the store exists. */
  readonly made: readonly string[]
}

export function storeOnce(): Stores {
  let making: Promise<StoppedStore> | undefined
  let made: readonly string[] = []
  return {
    async store() {
      making ??= makeStore()
      made = (await making).made
      return making
    },
    get made() {
      return made
    },
    async [Symbol.asyncDispose]() {
      await (await making)?.[Symbol.asyncDispose]()
    },
  }
}

/** Starts a real server, creates a store with a player, and stops the server. */
async function makeStore(): Promise<StoppedStore> {
  const parent = await mkdtemp(join(tmpdir(), 'fish-cli-matrix-'))
  const folder = join(parent, 'data')
  const env = {
    FISH_STORAGE: `file:${folder}`,
    FISH_PORT: '0',
    FISH_ADMIN_PASSWORD: SECRETS.adminPassword,
    FISH_SECRET: SECRETS.secret,
    FISH_JWT_SECRET: SECRETS.jwtSecret,
    FISH_MASTER_API_KEY: SECRETS.masterKey,
  }
  const logger = createLogger('silent', { stream: process.stderr, colours: false })
  const server = await startServer(readConfig({ env }), { logger, version: '0.0.0-test', passwords: PASSWORDS })
  const admin = { HOME: parent, FISH_URL: server.url, FISH_ADMIN_PASSWORD: SECRETS.adminPassword }
  const { stdout } = await run(['user', 'create', 'Alex', '--json'], { env: admin })
  await server.close()
  const { password, fernetKey, apiKey } = JSON.parse(stdout) as CreatedUser
  return {
    folder,
    made: [password, fernetKey, apiKey],
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true }),
  }
}
