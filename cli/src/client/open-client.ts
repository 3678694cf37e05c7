import { type Client, type ClientOptions, createClient, type Gamemode } from '@fish-crab/sdk'
import { givenSecret } from '../auth/read-secret.ts'
import { keptSecrets } from '../auth/vault.ts'
import { chosenGamemode } from '../catches/gamemode.ts'
import { readConfig } from '../config/config-file.ts'
import { type Selection, type SelectionFlags, select } from '../config/selection.ts'
import { isSeconds } from '../config/settings.ts'
import { usageError } from '../core/cli-error.ts'
import type { RunIo } from '../core/run-io.ts'
import { countdown } from '../output/countdown.ts'
import { readManifest } from '../package.ts'
import { plainFetch, proxyVariables } from './plain-fetch.ts'

/** The flags that say how to reach a service, and as whom. */
export interface ServiceFlags extends SelectionFlags {
  readonly json?: boolean | undefined
}

/** Whom a command talks to: flags, else environment, else profile. */
export function selection(io: RunIo, flags: SelectionFlags): Selection {
  return select({ flags, env: io.env, config: readConfig(io) })
}

/** A client for the service that flags, environment or profile say. `options` is what a command adds. */
export function openClient(io: RunIo, flags: ServiceFlags, options: ClientOptions = {}): Promise<Client> {
  return clientFor(io, selection(io, flags), options)
}

/** A client for a service that was selected, with the API key of the environment or the profile. */
export async function clientFor(io: RunIo, chosen: Selection, options: ClientOptions = {}): Promise<Client> {
  return createClient({
    ...clientSurroundings(io, chosen),
    maxWaitMs: maxWaitMs(chosen.maxWait),
    ...options,
    // One that a command brings spares the look into a keyring.
    apiKey: 'apiKey' in options ? options.apiKey : await usualApiKey(io, chosen),
  })
}

async function usualApiKey(io: RunIo, chosen: Selection): Promise<string | undefined> {
  return (await givenSecret(io, 'FISH_API_KEY')) ?? (await keptSecrets(io, chosen))?.apiKey
}

/** What every client of this program has in common: where it goes, its clock, and a countdown while it waits. */
export function clientSurroundings(io: RunIo, { url }: Pick<Selection, 'url'>) {
  const { clock } = io
  return {
    baseUrl: url.value,
    clock,
    ...countdown(io.line, clock),
    fetch: plainFetch(io.env),
    env: proxyVariables(io.env),
    userAgent: `fish-cli/${readManifest().version}`,
  }
}

/**
 * The player a command is about.
 *
 * @param named By an argument or a flag.
 * @throws CliError when nobody is named
 */
export function needUser(io: RunIo, named: string | undefined, how: string, flags: SelectionFlags = {}): string {
  const { user } = selection(io, { ...flags, user: named })
  if (!user?.value) throw usageError('Say which player.', `${how}, set FISH_USER, or: fish-cli login USER`)
  return user.value
}

/**
 * The gamemode a command is about.
 *
 * @throws CliError when none is named, or there is none of that name
 */
export function needGamemode(io: RunIo, named: string | undefined, flags: SelectionFlags = {}): Gamemode {
  const gamemode = chosenGamemode(selection(io, { ...flags, gamemode: named }).gamemode)
  if (gamemode === undefined) {
    const hint = 'Add --gamemode GAMEMODE, set FISH_GAMEMODE, or: fish-cli config set gamemode GAMEMODE'
    throw usageError('Say which gamemode.', hint)
  }
  return gamemode
}

/** `--max-wait` in milliseconds. @throws CliError when it is no number of seconds */
export function maxWaitMs(seconds: string | undefined): number | undefined {
  if (seconds === undefined) return undefined
  if (!isSeconds(seconds)) throw usageError('--max-wait (FISH_MAX_WAIT) must be seconds, 0 or more.')
  return Number(seconds) * 1000
}
