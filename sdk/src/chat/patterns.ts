import type { Kind } from '../contract/kinds.ts'
import type { RarityValue } from '../contract/rarities.ts'
import type { ChatCatch } from './types.ts'

/** How a message that tells of a catch begins, as plain data (it can stand in a JSON file). */
export interface ChatRule {
  /** What such a message tells of. One of a crab must name a crab (`Crab`, `Hermit Crab`), else it tells nothing. */
  readonly kind: Kind
  /**
   * What the message begins with, up to the article (`a`, `an`, `the`, `some`) before the name. Letter case and spaces
   * do not matter; apostrophes may be plain or typographic; `▶` may be lost to a `?` of an old log.
   */
  readonly opening: string
  /**
   * Where the rarity of a fish stands: in a catch word before the opening (`NICE`), in a label before the name
   * (`Bronze Koi`), or it is always the given one. @default 5, Unknown/Other
   */
  readonly rarity?: 'catch-word' | 'label' | RarityValue
  /** The catch is said to be the first of its sort. @default only where the message says so */
  readonly firstTime?: boolean
  /** The catch is said to be by augments. @default false */
  readonly byAugment?: boolean
}

/**
 * A way to read a message: a rule, or a function that is given the message without formatting and log prefix and returns
 * the catch or `undefined`. What the service would not take (a name or rarity out of bounds) counts as `undefined`.
 * A function should match from the beginning of the message, or players can type catches.
 */
export type ChatPattern = ChatRule | ((message: string) => ChatCatch | undefined)

/** The messages of the game that tell of a catch. */
export const CHAT_PATTERNS: readonly ChatRule[] = [
  { kind: 'fish', opening: 'CATCH! You caught', rarity: 'catch-word' },
  { kind: 'fish', opening: 'CATCH! Your Augments caught', rarity: 'catch-word', byAugment: true },
  { kind: 'fish', opening: 'NEW ENTRY! You caught', rarity: 'label', firstTime: true },
  { kind: 'fish', opening: 'NEW ENTRY! Your Augments caught', rarity: 'label', firstTime: true, byAugment: true },
  { kind: 'crab', opening: 'FISHING ▶ You fished up' },
  { kind: 'crab', opening: 'NIMBLE! You’ve hooked' },
]
