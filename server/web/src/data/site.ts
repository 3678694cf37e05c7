import { type PageGamemodes, pageGamemodes } from './gamemodes.ts'

/** The settings of the service that its pages depend on. */
export interface Site {
  readonly gamemodes: PageGamemodes
  /** Whether the leaderboard is public. */
  readonly hasLeaderboard: boolean
}

/** Reads the settings that the service has written into the open page. */
export function readSite(): Site {
  return { gamemodes: pageGamemodes(), hasLeaderboard: meta('leaderboard') === 'public' }
}

/** The address for players, which the service writes into its pages. @default the origin of the page */
export function publicUrl(): string {
  return meta('public-url') || location.origin
}

function meta(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
}
