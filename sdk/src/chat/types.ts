import type { RarityValue } from '../contract/rarities.ts'

/** What a chat line may tell beside what was caught. Absent is not told. */
interface CatchDetails {
  /** Length in centimetres. */
  readonly lengthCm?: number
  /** `true` when the player never caught one before. */
  readonly firstTime?: boolean
  /** `true` when the player's augments caught it. */
  readonly byAugment?: boolean
  /**
   * The time of day as the prefix of the line says it, without a date or fractions of a second: `12:00:01` in every log
   * of the game, perhaps `12:00` or `9:30 PM` where a mod writes it. Local time of the machine that wrote it.
   */
  readonly timeOfDay?: string
}

/** A fish that the chat told of. It is an entry as `client.fish.add` takes it. */
export interface ChatFish extends CatchDetails {
  readonly kind: 'fish'
  /** 1 to 100 characters, no control characters. */
  readonly name: string
  /** 1 to 7; 5 (Unknown/Other) when the line does not tell. */
  readonly rarity: RarityValue
}

/** A crab that the chat told of. It is an entry as `client.crabs.add` takes it. */
export interface ChatCrab extends CatchDetails {
  readonly kind: 'crab'
  /** 1 to 100 characters, no control characters; `crab` when the line says no more than that. */
  readonly name: string
}

/** What a chat line tells that the player caught. `kind` tells fish and crabs apart. */
export type ChatCatch = ChatFish | ChatCrab
