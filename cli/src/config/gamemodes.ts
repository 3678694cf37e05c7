import { join } from 'node:path'
import { GAMEMODES, type Gamemode, isGamemode } from '@fish-crab/sdk/constants'
import type { Context } from '../core/context.ts'
import { parseJsonText } from '../core/parse-values.ts'
import { readTextFile, replaceFile } from './files.ts'
import { folders } from './paths.ts'
import { serviceOf } from './profile.ts'

type Environment = Pick<Context, 'env'>

/** Maximum number of gamemodes of a service. */
const MAX_GAMEMODES = 32

const pathOf = (context: Environment) => join(folders(context).state, 'gamemodes.json')

/** The gamemodes that a service listed last, or the default gamemodes if the service never listed any. */
export function knownGamemodes(context: Environment, url: string): readonly Gamemode[] {
  return readRemembered(context).get(serviceOf(url)) ?? GAMEMODES
}

/**
 * Remembers the gamemodes of a service. Errors are ignored, because the gamemodes can be requested again.
 * @param listed The gamemodes in the response of the service
 * @returns the listed gamemodes, or the known gamemodes without a valid list
 */
export function rememberGamemodes(
  context: Environment,
  url: string,
  listed: readonly Gamemode[] | undefined,
): readonly Gamemode[] {
  const known = knownGamemodes(context, url)
  if (!isList(listed) || listed.join() === known.join()) return known
  const services = readRemembered(context).set(serviceOf(url), listed)
  try {
    replaceFile(pathOf(context), `${JSON.stringify(Object.fromEntries(services), undefined, 2)}\n`)
  } catch {}
  return listed
}

/** Ignores a damaged file. */
function readRemembered(context: Environment): Map<string, readonly Gamemode[]> {
  try {
    const services: object = Object(parseJsonText(readTextFile(pathOf(context)) ?? ''))
    return new Map(Object.entries(services).filter(([, gamemodes]) => isList(gamemodes)))
  } catch {
    return new Map()
  }
}

function isList(value: unknown): value is readonly Gamemode[] {
  return Array.isArray(value) && value.length > 0 && value.length <= MAX_GAMEMODES && value.every(isGamemode)
}
