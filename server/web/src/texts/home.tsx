import { catchesTexts } from './catches.ts'
import { siteTexts } from './site.ts'

/** The texts of the home page. */
export const homeTexts = {
  title: siteTexts.name,
  lead: 'Show every fish and crab that you catch.',
  seen: 'Players seen on this device',
  demo: siteTexts.demo,
  leaders: 'Most fish',
  leaderboard: 'Show the leaderboard',
  legendTitle: 'Seven rarities, and crabs',
  legend: 'The first word of a catch in the chat shows the rarity: INSANE CATCH! is a Mythical fish.',
  otherWords: 'other words',
  crab: catchesTexts.crab,
  crabWord: 'FISHING',
  startTitle: 'How do I start?',
  start: [
    'Ask the owner of this server for an account. You get a program and a login file.',
    'Open the program Fish Collection, and drop the login file on its page.',
    'Choose Start, and play. Each catch appears here.',
  ],
  terminal: (
    <>
      In a terminal, run <code>fish-cli login</code> once, and <code>fish-cli watch</code> beside the game.
    </>
  ),
} as const
