import { GAMEMODE_RULE, type Gamemode, isGamemode } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import { HttpError } from '../http/http-error.ts'

/** The number is limited because each gamemode adds an entry to every OpenAPI document and a tab to the pages. */
const MAX_GAMEMODES = 32

/**
 * Describes the mistake in a list of gamemodes as the end of a sentence, such as "must be 1 to 32 names, not 0".
 * Returns `undefined` for a valid list.
 */
export function gamemodesProblem(names: readonly unknown[]): string | undefined {
  if (names.length < 1 || names.length > MAX_GAMEMODES)
    return `must be 1 to ${MAX_GAMEMODES} names, not ${names.length}`
  const wrong = names.find((name) => !isGamemode(name))
  if (wrong !== undefined) return `must be names of ${GAMEMODE_RULE}, which ${JSON.stringify(wrong)} is not`
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  return repeated === undefined ? undefined : `must be different names, but has ${JSON.stringify(repeated)} twice`
}

type Given = readonly (string | null | undefined)[]

/** The gamemodes of a service, with functions that check the gamemodes in requests. */
export interface Gamemodes {
  /** The gamemodes in display order. */
  readonly names: readonly Gamemode[]
  /**
   * Returns the given gamemode, if any. Throws `invalid_gamemode` for an unknown gamemode, and `gamemode_mismatch` if
   * two given gamemodes differ. Ignores empty strings.
   */
  named(given: Given): Gamemode | undefined
  /** Works like `named`, but throws `missing_gamemode` if no gamemode is given. */
  require(given: Given): Gamemode
  /** Throws an error with details if the gamemode is unknown. @param path name of the parameter or the field */
  check(gamemode: string | undefined, code: 'invalid_query' | 'invalid_payload', path: string): void
}

export function createGamemodes(names: readonly Gamemode[]): Gamemodes {
  const list = names.join(', ')

  function named(values: Given): Gamemode | undefined {
    let first: Gamemode | undefined
    let isMismatch = false
    for (const value of values) {
      if (!value) continue
      if (!names.includes(value)) {
        throw new HttpError('invalid_gamemode', { message: `Unknown gamemode. Use one of ${list}.` })
      }
      first ??= value
      isMismatch ||= value !== first
    }
    if (isMismatch) throw new HttpError('gamemode_mismatch')
    return first
  }

  return {
    names,
    named,
    require(given) {
      const gamemode = named(given)
      if (!gamemode) throw new HttpError('missing_gamemode', { message: `Missing gamemode. Use one of ${list}.` })
      return gamemode
    },
    check(gamemode, code, path) {
      if (gamemode === undefined || names.includes(gamemode)) return
      throw new HttpError(code, { details: [{ path, message: `Must be one of ${list}` }] })
    },
  }
}

/** Reports that the store contains catches of gamemodes that the service does not have. */
export class GamemodesError extends Error {
  override readonly name = 'GamemodesError'
}

/**
 * @throws GamemodesError if the store contains catches of gamemodes that are not in `names`, because nobody could read,
 * count or delete these catches
 */
export async function checkStoredGamemodes(storage: Pick<FishStorage, 'tallies'>, { names }: Gamemodes): Promise<void> {
  const counts = new Map<string, number>()
  for (const { gamemode, label, count } of await storage.tallies()) {
    // The tally without a label counts all entries of a kind.
    if (label === null && !names.includes(gamemode)) counts.set(gamemode, (counts.get(gamemode) ?? 0) + count)
  }
  if (counts.size === 0) return
  const held = [...counts].map(([gamemode, count]) => `${count} ${count === 1 ? 'catch' : 'catches'} in ${gamemode}`)
  const all = [...names, ...counts.keys()].join(',')
  throw new GamemodesError(
    `The storage holds ${held.join(', ')}, which is not among the gamemodes ${names.join(', ')}. Set FISH_GAMEMODES=${all}, and move or delete these catches before you take the gamemode away; nothing was changed.`,
  )
}
