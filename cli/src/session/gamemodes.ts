import { join } from 'node:path'
import { GAMEMODES, type Gamemode, isGamemode } from '@fish-crab/sdk/constants'
import { closestWord } from '../../../sdk/src/internal/closest-word.ts'
import { usageError } from '../core/errors.ts'
import { parseJsonText, serviceOf } from '../core/parse-values.ts'
import type { System } from '../core/system.ts'
import { readTextFile, replaceFile } from './files.ts'
import { folders } from './paths.ts'

import type { Session } from './session.ts'

/** Maximum number of gamemodes of a service. */
const MAX_GAMEMODES = 32

const pathOf = (system: Pick<System, 'env'>) => join(folders(system).state, 'gamemodes.json')

/** The gamemodes that a service listed last, or the default gamemodes if the service never listed any. */
export function knownGamemodes(system: Pick<System, 'env'>, url: string): readonly Gamemode[] {
  return readRemembered(system).get(serviceOf(url)) ?? GAMEMODES
}

/**
 * Remembers the gamemodes of a service. Errors are ignored, because the gamemodes can be requested again.
 * @param listed The gamemodes in the response of the service
 * @returns the listed gamemodes, or the known gamemodes without a valid list
 */
export function rememberGamemodes(
  system: Pick<System, 'env'>,
  url: string,
  listed: readonly Gamemode[] | undefined,
): readonly Gamemode[] {
  const known = knownGamemodes(system, url)
  if (!isList(listed) || listed.join() === known.join()) return known
  const services = readRemembered(system).set(serviceOf(url), listed)
  try {
    replaceFile(pathOf(system), `${JSON.stringify(Object.fromEntries(services), undefined, 2)}\n`)
  } catch {}
  return listed
}

/** Ignores a damaged file. */
function readRemembered(system: Pick<System, 'env'>): Map<string, readonly Gamemode[]> {
  try {
    const services: object = Object(parseJsonText(readTextFile(pathOf(system)) ?? ''))
    return new Map(Object.entries(services).filter(([, gamemodes]) => isList(gamemodes)))
  } catch {
    return new Map()
  }
}

function isList(value: unknown): value is readonly Gamemode[] {
  return Array.isArray(value) && value.length > 0 && value.length <= MAX_GAMEMODES && value.every(isGamemode)
}

const STATUS_MS = 3000

/**
 * Reads the gamemodes of the service, without a long wait. If the service does not respond, returns the gamemodes that
 * this machine knows.
 */
export async function fetchGamemodes(session: Session): Promise<readonly Gamemode[]> {
  // The client is loaded only for this request, because loading the client takes longer than the rest of a command.
  const [{ createClient }, { clientOptions }] = await Promise.all([import('@fish-crab/sdk'), import('./client.ts')])
  try {
    const client = createClient({ ...clientOptions(session), maxWaitMs: 0, maxRetries: 0 })
    const { gamemodes } = await client.status({ signal: AbortSignal.timeout(STATUS_MS) })
    return rememberGamemodes(session, session.url, gamemodes)
  } catch {
    // The next request reports why the service does not respond.
    return knownGamemodes(session, session.url)
  }
}

/**
 * Finds a gamemode by name. If this machine does not know the name, requests the gamemodes from the service.
 * @param from The origin of the name, such as `--gamemode`
 * @throws CliError `usage`
 */
export async function findGamemode(session: Session, typed: string, from: string): Promise<Gamemode> {
  const name = typed.toLowerCase()
  const known = knownGamemodes(session, session.url)
  if (known.includes(name)) return name
  const listed = isGamemode(name) ? await fetchGamemodes(session) : known
  if (listed.includes(name)) return name
  const meant = closestWord(name, listed)
  const list = `Gamemodes: ${listed.join(', ')}`
  throw usageError(`Unknown gamemode in ${from}.`, meant === undefined ? list : `Did you mean: ${meant}? ${list}`)
}

const SOURCES = {
  flag: '--gamemode',
  environment: 'FISH_GAMEMODE',
  profile: 'the profile',
  setting: 'the setting',
  default: 'the default',
} as const

/** @throws CliError `usage` */
export async function gamemodeOf(session: Session): Promise<Gamemode | undefined> {
  const { gamemode } = session.target
  return gamemode?.value ? findGamemode(session, gamemode.value, SOURCES[gamemode.from]) : undefined
}

/** @throws CliError `usage` */
export async function requireGamemode(session: Session): Promise<Gamemode> {
  const gamemode = await gamemodeOf(session)
  if (gamemode !== undefined) return gamemode
  const listed = await fetchGamemodes(session)
  const hint = `Add --gamemode with one of ${listed.join(', ')}. To set it for all commands: fish-cli config gamemode GAMEMODE`
  throw usageError('The gamemode is missing.', hint)
}
