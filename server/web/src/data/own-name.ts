import { readPreference, savePreference } from './preferences.ts'

const NAME = 'fish-crab-me'

/** The player who uses this device, as its user has said. @default unknown */
export function readOwnName(): string | undefined {
  return readPreference(NAME) || undefined
}

/** @param user `undefined` forgets the player */
export function saveOwnName(user: string | undefined): void {
  savePreference(NAME, user ?? '')
}
