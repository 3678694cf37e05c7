import { type Gamemode, isGamemode, userNameKey } from '@fish-crab/sdk/contract'
import { HttpError } from '../http/http-error.ts'

/** The user that the query names, `undefined` when it names none. Fails with `user_mismatch` when it names two. */
export function userNameOf(query: URLSearchParams): string | undefined {
  const names = query.getAll('name').filter((name) => name !== '')
  if (new Set(names.map(userNameKey)).size > 1) throw new HttpError('user_mismatch')
  return names[0]
}

/** The gamemode that all places which name one agree on, or `undefined` when none does. Empty texts name none. */
export function gamemodeOf(said: readonly (string | null | undefined)[]): Gamemode | undefined {
  const named = said.filter((gamemode) => gamemode !== null && gamemode !== undefined && gamemode !== '')
  for (const gamemode of named) if (!isGamemode(gamemode)) throw new HttpError('invalid_gamemode')
  const distinct = [...new Set(named)] as Gamemode[]
  if (distinct.length > 1) throw new HttpError('gamemode_mismatch')
  return distinct[0]
}

/** As {@link gamemodeOf}, or a `missing_gamemode` failure when none is named. */
export function requireGamemode(said: readonly (string | null | undefined)[]): Gamemode {
  const gamemode = gamemodeOf(said)
  if (!gamemode) throw new HttpError('missing_gamemode')
  return gamemode
}
