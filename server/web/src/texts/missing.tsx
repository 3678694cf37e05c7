import type { ComponentChildren } from 'preact'

/** The texts of pages that do not exist. */
export const missingTexts = {
  pageTitle: 'Page not found',
  page: 'No page has this address. Look up a player above, or open the home page.',
  home: 'Home page',
  playerTitle: 'Player not found',
  player: (name: string) => `No player “${name}” on this server.`,
  players: (one: string, other: string) => `No players “${one}” and “${other}” on this server.`,
  impossible: (rule: string) => `No player can have this name. Names are ${rule}.`,
  meant: (link: ComponentChildren) => <>Did you mean {link}?</>,
  and: ' and ',
  check: 'Check the spelling, or ask the owner of this server for an account.',
} as const
