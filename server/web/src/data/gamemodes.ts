import { GAMEMODES, type Gamemode, isGamemode } from '@fish-crab/sdk/constants'

/** The gamemodes of the service, which the service writes into its pages. The first gamemode is the default. */
export type PageGamemodes = readonly [Gamemode, ...Gamemode[]]

/** The gamemodes in the open page. */
export function pageGamemodes(): PageGamemodes {
  const { content = '' } = document.querySelector<HTMLMetaElement>('meta[name="gamemodes"]') ?? {}
  const [first, ...others] = content.split(',')
  return isGamemode(first) && others.every(isGamemode) ? [first, ...others] : GAMEMODES
}

/** Finds a gamemode by name, in any letter case. */
export function matchGamemode(gamemodes: PageGamemodes, name: string | null | undefined): Gamemode | undefined {
  return gamemodes.find((one) => one === name?.toLowerCase())
}
