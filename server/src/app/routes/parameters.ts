import { type Gamemode, isGamemode, userNameKey } from '@fish-crab/sdk/contract'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { readJson } from '../http/request.ts'
import type { Services } from './services.ts'

/** Throws `user_mismatch` for several users. */
export function userNameOf(query: URLSearchParams): string | undefined {
  const names = query.getAll('name').filter((name) => name !== '')
  if (new Set(names.map(userNameKey)).size > 1) throw new HttpError('user_mismatch')
  return names[0]
}

/** Throws `invalid_gamemode`, or `gamemode_mismatch` if the places that name one differ. Ignores empty texts. */
export function gamemodeOf(values: readonly (string | null | undefined)[]): Gamemode | undefined {
  const named = values.filter((gamemode) => gamemode !== null && gamemode !== undefined && gamemode !== '')
  for (const gamemode of named) if (!isGamemode(gamemode)) throw new HttpError('invalid_gamemode')
  const distinct = [...new Set(named)] as Gamemode[]
  if (distinct.length > 1) throw new HttpError('gamemode_mismatch')
  return distinct[0]
}

export function requireGamemode(values: readonly (string | null | undefined)[]): Gamemode {
  const gamemode = gamemodeOf(values)
  if (!gamemode) throw new HttpError('missing_gamemode')
  return gamemode
}

/**
 * Reads the JSON body of an administrator's request. Its sender decides how long that takes, so the session is checked
 * again afterwards: an administrator who was deleted meanwhile changes nothing.
 */
export async function readAdminJson({ sessions }: Services, { request }: RequestContext): Promise<unknown> {
  const value = await readJson(request)
  await sessions.require(request)
  return value
}
