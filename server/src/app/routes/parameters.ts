import { type Gamemode, isGamemode, userNameKey } from '@fish-crab/sdk/contract'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { readJson } from '../http/request.ts'
import type { Services } from './services.ts'

/** Throws `user_mismatch` for several users. */
export function userNameOf(query: URLSearchParams): string | undefined {
  const [first, ...others] = query.getAll('name').filter((name) => name !== '')
  if (others.some((name) => userNameKey(name) !== userNameKey(first ?? ''))) throw new HttpError('user_mismatch')
  return first
}

/** Throws `invalid_gamemode`, or `gamemode_mismatch` if the places that name one differ. Ignores empty texts. */
export function gamemodeOf(values: readonly (string | null | undefined)[]): Gamemode | undefined {
  const named = values.filter((gamemode) => gamemode !== null && gamemode !== undefined && gamemode !== '')
  if (!named.every(isGamemode)) throw new HttpError('invalid_gamemode')
  const [first, ...others] = named
  if (others.some((gamemode) => gamemode !== first)) throw new HttpError('gamemode_mismatch')
  return first
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
