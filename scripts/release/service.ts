import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { EXIT, type ExitStatus } from '../../cli/src/core/errors.ts'
import { run } from '../test-support/child-process.ts'
import { PROJECT } from '../test-support/language-tools.ts'

const PORT = '8787'
const PROGRAM = join(PROJECT, 'cli/bin/run.js')
const ADMIN = { username: 'admin', password: 'correct horse battery staple' }

/** Fixed settings, so that the tests of later releases can read the data. The secrets protect only test data. */
const SETTINGS = {
  FISH_PORT: PORT,
  FISH_LOG: 'silent',
  FISH_RATE_LIMIT: '100000',
  FISH_GAMEMODES: 'oneblock,earth,survival,factions,boxsmp',
  FISH_ADMIN_PASSWORD: ADMIN.password,
  FISH_SECRET: 'a secret of the data of a release, for tests',
  FISH_JWT_SECRET: 'another secret of the data of a release',
  FISH_SECRET_STORE: 'file',
}

/** A player with the secrets that the service generated. */
export interface Player {
  readonly name: string
  readonly password: string
  readonly apiKey: string
  readonly fernetKey: string
}

/** The expected data: players, and the responses of the release. */
export interface Expected {
  /**
   * The host of the service, which must stay the same, since profiles and outboxes belong to the address of a service.
   */
  readonly host: string
  readonly players: readonly Player[]
  /** The responses by path. */
  readonly responses: Readonly<Record<string, unknown>>
  /** The token of a stored catch. The service must not store this catch again. */
  readonly token: { readonly user: string; readonly gamemode: string; readonly encrypted: string }
}

/** Runs fish-cli to its end, and rejects if it exits with another status. */
export async function fishCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  expectedStatus: ExitStatus = EXIT.ok,
): Promise<string> {
  const { status, stdout, stderr } = await run(process.execPath, [PROGRAM, ...args], { ...SETTINGS, ...env })
  if (status !== expectedStatus) throw new Error(`fish-cli ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

/** Describes the service at an address of this machine, such as any address in 127.0.0.0/8. */
export function serviceAt(host: string) {
  const url = `http://${host}:${PORT}`
  return {
    url,

    /** Serves a storage until the returned object is disposed. */
    async serve(storage: string): Promise<AsyncDisposable> {
      const env = { PATH: process.env.PATH, ...SETTINGS, FISH_HOST: host, FISH_STORAGE: storage }
      const child: ChildProcess = spawn(process.execPath, [PROGRAM, 'serve'], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const { stdout, stderr } = child
      if (!stdout || !stderr) throw new Error('A child without output.')
      const gone = once(child, 'close')
      const log = text(stderr)
      const first = await Promise.race([createInterface(stdout)[Symbol.asyncIterator]().next(), gone])
      if (!('value' in first) || first.value !== `listening on ${url}`) throw new Error(`No server: ${await log}`)
      return {
        async [Symbol.asyncDispose]() {
          child.kill('SIGTERM')
          await gone
        },
      }
    },

    admin: () => createAdminClient({ baseUrl: url, ...ADMIN }),

    client: ({ name, apiKey, fernetKey }: Player, gamemode: string) =>
      createClient({ baseUrl: url, user: name, gamemode, apiKey, fernetKey }),

    /** Fetches the JSON at a path. */
    async get(path: string): Promise<unknown> {
      const response = await fetch(`${url}${path}`)
      if (!response.ok) throw new Error(`${path}: ${response.status}`)
      return response.json()
    },
  }
}
