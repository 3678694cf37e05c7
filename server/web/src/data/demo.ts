import { createDice } from '../../../src/drawings/random.ts'
import { type Caught, emptyProfile, type PlayerProfile, withCatches } from './profile.ts'
import { RARITY_ORDER } from './summary.ts'

const DAY_MS = 86_400_000
const DAYS = 75
const FISH = [
  ...['Salmon', 'Cod', 'Bluegill', 'Carp', 'Perch', 'Pike', 'Catfish', 'Tropical Fish', 'Koi', 'Pufferfish'],
  ...['Mackerel', 'Herring', 'Tuna', 'Halibut', 'Eel', 'Sturgeon', 'Clownfish', 'Anglerfish', 'Swordfish'],
  ...['Coelacanth', 'Sunfish', 'Leviathan'],
] as const
const CRABS = ['crab', 'crab', 'crab', 'Hermit Crab', 'King Crab'] as const
/** The number of fish of each rarity per thousand fish, in the order of {@link RARITY_ORDER}. */
const SHARES = [25, 440, 275, 150, 80, 27, 3]
const GAMEMODES = ['earth', 'survival'] as const

/**
 * A collection of made-up catches of the last weeks. Apart from their dates, the catches are the same each day.
 * @param now Unix milliseconds
 */
export function demoProfile(now: number): PlayerProfile {
  const dice = createDice('demo')
  const rarities = RARITY_ORDER.flatMap((rarity, index) => Array(SHARES[index] ?? 0).fill(rarity))
  // A skewed pick makes some species common and others rare.
  const skewed = <Item>(items: readonly Item[]) => items[Math.floor(dice.between(0, 1) ** 1.8 * items.length)] as Item
  const caught: Caught[] = []
  for (let day = DAYS; day > 0; day -= 1) {
    const count = Math.round(dice.between(1, 18))
    const gamemode = dice.pick([...GAMEMODES])
    for (let catches = 0; catches < count; catches += 1) {
      const caughtAt = new Date(now - day * DAY_MS + dice.between(0, DAY_MS / 2)).toISOString()
      const isCrab = dice.between(0, 1) < 0.1
      caught.push(
        isCrab
          ? { kind: 'crab', name: skewed(CRABS), gamemode, caughtAt }
          : {
              kind: 'fish',
              name: skewed(FISH),
              rarity: rarities[Math.floor(dice.between(0, rarities.length - 0.01))],
              gamemode,
              caughtAt,
            },
      )
    }
  }
  return withCatches({ ...emptyProfile('Demo', GAMEMODES), streak: { current: DAYS, longest: DAYS } }, caught)
}
