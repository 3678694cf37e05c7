import type { Gamemode } from '@fish-crab/sdk/constants'
import { matchGamemode, type PageGamemodes } from './gamemodes.ts'

/** What the address of a page asks for. */
export interface Address {
  /** The name behind the `@`, as it stands there; absent on the home page. */
  readonly name?: string
  readonly isDemo: boolean
  readonly gamemode: Gamemode | undefined
}

/** The query that opens the sample collection on the home page. */
export const DEMO_QUERY = '?demo'

/** Reads the path and query of a page. */
export function readAddress(
  { pathname, search }: Pick<Location, 'pathname' | 'search'>,
  gamemodes: PageGamemodes,
): Address {
  const query = new URLSearchParams(search)
  const [, encoded] = /\/(?:@|%40)([^/]+)\/*$/i.exec(pathname) ?? []
  return {
    ...(encoded === undefined ? {} : { name: decoded(encoded) }),
    isDemo: query.has('demo'),
    gamemode: matchGamemode(gamemodes, query.get('gamemode')),
  }
}

/** The path of a player's page. */
export function playerPath(name: string, gamemode?: Gamemode): string {
  return `/@${encodeURIComponent(name)}${gamemode === undefined ? '' : `?gamemode=${gamemode}`}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
