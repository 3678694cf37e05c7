import { type CrabCollection, DEMO_USER, type FishCollection, RARITIES } from '@fish-crab/sdk/contract'
import { json } from '../http/answer.ts'
import type { Handler } from '../services.ts'

const FISH_NAMES = ['Cod', 'Salmon', 'Koi', 'Swordfish', 'Boot', 'Marlin', 'Leviathan'] as const

const FISH: FishCollection = {
  user: DEMO_USER,
  fish: RARITIES.map(({ label }, index) => ({ name: FISH_NAMES[index] ?? label, rarity: label })),
}
const CRABS: CrabCollection = {
  user: DEMO_USER,
  crab: [{ name: 'crab' }, { name: 'Hermit Crab' }, { name: 'King Crab' }],
}

/** `GET /demo/fish`: a fish of every rarity. */
export function demoFishHandler(): Handler {
  return () => json(200, FISH)
}

/** `GET /demo/crab`: some crabs. */
export function demoCrabHandler(): Handler {
  return () => json(200, CRABS)
}
