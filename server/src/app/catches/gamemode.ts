import { type Gamemode, isGamemode } from '@fish-crab/sdk/contract'
import { Failure } from '../http/failure.ts'

/** The gamemode that all places which name one agree on, or `undefined` when none does. Empty texts name none. */
export function agreedGamemode(said: readonly (string | null | undefined)[]): Gamemode | undefined {
  const named = said.filter((gamemode) => gamemode !== null && gamemode !== undefined && gamemode !== '')
  for (const gamemode of named) if (!isGamemode(gamemode)) throw new Failure('invalid_gamemode')
  const distinct = [...new Set(named)] as Gamemode[]
  if (distinct.length > 1) throw new Failure('gamemode_mismatch')
  return distinct[0]
}

/** As {@link agreedGamemode}, or a `missing_gamemode` failure when none is named. */
export function requireGamemode(said: readonly (string | null | undefined)[]): Gamemode {
  const gamemode = agreedGamemode(said)
  if (!gamemode) throw new Failure('missing_gamemode')
  return gamemode
}
