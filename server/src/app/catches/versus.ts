import { KINDS, type Kind, type Profile, RARITY_LABELS, type RarityLabel } from '@fish-crab/sdk/contract'
import type { Versus, VersusPart, VersusPlayer, VersusSide, VersusSpecies, Winner } from '../../page-data.ts'
import { type Slices, sortInSlices } from '../core/slices.ts'
import { compareText } from './summary.ts'

/** Maximum number of listed species: about 100 KB in a page, or 15 KB when it is compressed. */
const LISTED = 1000

type Sides = [VersusSide | null, VersusSide | null]
type Compared = Pick<VersusSpecies, 'kind' | 'name'> & { readonly sides: Sides }

/** Compares two profiles with species. */
export async function versusOf(profiles: readonly [Profile, Profile], slices: Slices): Promise<Versus> {
  const found = new Map<string, Compared>()
  for (const [side, profile] of profiles.entries()) {
    for (const gamemode of profile.gamemodes) {
      for (const kind of KINDS) {
        for await (const slice of slices(gamemode[kind].species ?? [])) {
          for (const species of slice) addTo(found, side as 0 | 1, { kind, ...species })
        }
      }
    }
  }
  const species: VersusSpecies[] = []
  const ahead: [number, number] = [0, 0]
  const counts = { all: 0, different: 0, one: 0, other: 0, both: 0 }
  for await (const slice of slices(await sortInSlices(found.values(), byRarity, slices))) {
    for (const compared of slice) {
      const better = betterOf(compared.sides)
      if (better !== null) ahead[better] += 1
      if (species.length < LISTED) species.push({ ...compared, better })
      for (const part of partsOf(compared.sides)) counts[part] += 1
    }
  }
  const [one, other] = [playerOf(profiles[0]), playerOf(profiles[1])]
  const isListed = one.unique !== undefined && other.unique !== undefined
  return {
    players: isListed
      ? [
          { ...one, ahead: ahead[0] },
          { ...other, ahead: ahead[1] },
        ]
      : [one, other],
    winners: {
      species: one.unique === undefined || other.unique === undefined ? null : winnerOf(one.unique, other.unique),
      catches: winnerOf(one.total, other.total),
      rarest:
        winnerOf(rankOf(one.rarest?.rarity), rankOf(other.rarest?.rarity)) ??
        winnerOf(one.rarest?.count ?? 0, other.rarest?.count ?? 0),
      ahead: isListed ? winnerOf(ahead[0], ahead[1]) : null,
    },
    species,
    counts,
  }
}

function winnerOf(one: number, other: number): Winner {
  return one === other ? null : one > other ? 0 : 1
}

function* partsOf([one, other]: Sides): Generator<VersusPart> {
  yield 'all'
  yield one && other ? 'both' : one ? 'one' : 'other'
  if (one?.rarity !== other?.rarity || !one || !other) yield 'different'
}

function betterOf([one, other]: Sides): Winner {
  if (!one || !other) return one ? 0 : 1
  return winnerOf(rankOf(one.rarity), rankOf(other.rarity)) ?? winnerOf(one.count, other.count)
}

interface Caught extends VersusSide {
  readonly kind: Kind
  readonly name: string
}

function addTo(found: Map<string, Compared>, side: 0 | 1, { kind, name, rarity, count }: Caught): void {
  const key = `${kind} ${name}`
  const { sides } = found.get(key) ?? { sides: [null, null] as Sides }
  const before = sides[side]
  const best = rankOf(before?.rarity) > rankOf(rarity) ? before?.rarity : rarity
  sides[side] = { ...(best && { rarity: best }), count: (before?.count ?? 0) + count }
  found.set(key, { kind, name, sides })
}

function playerOf(profile: Profile): VersusPlayer {
  const { user, total, unique, byRarity, gamemodes } = profile
  const isListed = gamemodes.every((one) => KINDS.every((kind) => one[kind].complete !== false))
  const rarity = RARITY_LABELS.findLast((label) => byRarity[label] > 0)
  return {
    user,
    total,
    ...(isListed ? { unique } : {}),
    ...(rarity ? { rarest: { rarity, count: byRarity[rarity] } } : {}),
  }
}

/** Returns -1 without a label. */
function rankOf(label: RarityLabel | undefined): number {
  return RARITY_LABELS.indexOf(label as RarityLabel)
}

const rankIn = ({ sides }: Compared) => Math.max(...sides.map((side) => rankOf(side?.rarity)))
const countIn = ({ sides }: Compared) => sides.reduce((sum, side) => sum + (side?.count ?? 0), 0)

function byRarity(one: Compared, other: Compared): number {
  return rankIn(other) - rankIn(one) || countIn(other) - countIn(one) || compareText(one.name, other.name)
}
