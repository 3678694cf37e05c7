import { type Client, type ClientOptions, createClient, type Gamemode } from '@fish-crab/sdk'
import { usageError } from './cli-error.ts'
import type { Io } from './io.ts'
import { readManifest } from './package.ts'
import { givenSecret } from './secrets.ts'
import { waitingClock } from './waiting-clock.ts'

/** The flags that say how to reach a service. */
export interface ServiceFlags {
  readonly url?: string | undefined
  readonly 'max-wait'?: string | undefined
  readonly json?: boolean | undefined
}

/** A client from flags, else environment. `options` is what a command adds. */
export async function openClient(io: Io, flags: ServiceFlags, options: ClientOptions = {}): Promise<Client> {
  return createClient({
    baseUrl: serviceUrl(io, flags),
    apiKey: await givenSecret(io, 'FISH_API_KEY'),
    maxWaitMs: maxWaitMs(flags['max-wait'] ?? (io.env.FISH_MAX_WAIT || undefined)),
    clock: waitingClock((line) => io.stderr.write(`${line}\n`)),
    env: {},
    userAgent: `fish-cli/${readManifest().version}`,
    ...options,
  })
}

/** The address of the service, as given. */
export function serviceUrl(io: Io, flags: ServiceFlags): string | undefined {
  return flags.url ?? (io.env.FISH_URL || undefined)
}

/** The player a command is about. @throws CliError when nobody is named */
export function needUser(io: Io, named: string | undefined, how: string): string {
  const user = named ?? io.env.FISH_USER
  if (!user) throw usageError('Say which player.', `${how}, or set FISH_USER.`)
  return user
}

/** The gamemode a command is about. The SDK checks that it exists. @throws CliError when none is named */
export function needGamemode(io: Io, named: string | undefined): Gamemode {
  const gamemode = named ?? io.env.FISH_GAMEMODE
  if (!gamemode) throw usageError('Say which gamemode.', 'Add --gamemode GAMEMODE, or set FISH_GAMEMODE.')
  return gamemode as Gamemode
}

function maxWaitMs(seconds: string | undefined): number | undefined {
  if (seconds === undefined) return undefined
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(seconds)) throw usageError('--max-wait (FISH_MAX_WAIT) must be seconds, 0 or more.')
  return Number(seconds) * 1000
}
