import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreatedUser, FishCollection } from '@fish-crab/sdk/contract'
import { freePort } from '../test-support/redis-server.ts'
import { createUser, type ServerProcess, startServerProcess } from '../test-support/server-process.ts'
import type { StoredCatch } from './journal.ts'

const SECRETS = {
  FISH_SECRET: 'the secret that encrypts keys in every process',
  FISH_JWT_SECRET: 'the secret that signs sessions in every process',
  FISH_ADMIN_RATE_LIMIT: '100000',
}

/** Creates a folder that is removed at the end of the experiment. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'fish-prove-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** A server process that keeps its address when it restarts. */
export class Service {
  readonly url: string
  readonly #env: Readonly<Record<string, string>>
  #process: ServerProcess | undefined

  private constructor(port: number, env: Readonly<Record<string, string>>) {
    this.url = `http://127.0.0.1:${port}`
    this.#env = { ...SECRETS, FISH_LOG: 'silent', ...env, FISH_PORT: String(port) }
  }

  /** Creates a service without starting it. */
  static async create(env: Readonly<Record<string, string>>): Promise<Service> {
    return new Service(await freePort(), env)
  }

  static async start(env: Readonly<Record<string, string>>): Promise<Service> {
    const service = await Service.create(env)
    await service.start()
    return service
  }

  get pid(): number {
    return this.#process?.child.pid ?? 0
  }

  /** @param env additional variables for this start only */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#process = await startServerProcess({ ...this.#env, ...env })
  }

  /** Ends the process and returns its exit status. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const process = this.#process
    this.#process = undefined
    if (!process) return null
    const { exitCode, signalCode } = process.child
    return exitCode === null && signalCode === null ? process.end(signal) : exitCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL')
  }

  createPlayers(count: number): Promise<readonly CreatedUser[]> {
    return Promise.all(Array.from({ length: count }, (_, index) => createUser(this.url, `Player${index}`)))
  }
}

/** Reads the fish of each player from the service. */
export async function readCollections(
  url: string,
  players: readonly CreatedUser[],
): Promise<ReadonlyMap<string, readonly StoredCatch[]>> {
  const collections = players.map(async ({ name, apiKey }) => {
    const response = await fetch(`${url}/get/fish?name=${name}&gamemode=earth&detail=full`, {
      headers: { 'x-api-key': apiKey },
    })
    if (!response.ok) throw new Error(`The collection of ${name} cannot be read: ${response.status}`)
    const { fish } = (await response.json()) as FishCollection
    return [name, fish as readonly StoredCatch[]] as const
  })
  return new Map(await Promise.all(collections))
}
