import {
  foldSpeciesName,
  KINDS,
  type Kind,
  type Profile,
  RARITY_LABELS,
  type RarityLabel,
} from '@fish-crab/sdk/contract'
import type { Slices } from '../core/slices.ts'
import { compareText } from './summary.ts'

/** Maximum number of species in a page: about 40 KB, or 5 KB when it is compressed. */
const MAX_PAGE_SPECIES = 250
/** Number of species in a page with too many species: as many as the page draws first. */
const FIRST_SPECIES = 6

/** The part of a profile from which a page is drawn. */
export interface FirstView {
  readonly profile: Profile
  /** Whether the profile lacks most of its species, because there are too many of them. */
  readonly isPartial: boolean
}

/** A species that a request names. */
export interface WantedSpecies {
  readonly kind: Kind
  readonly name: string
}

/**
 * Returns a profile with all of its species, or with the species that a page lists first: the rarest, and among equals
 * the most caught.
 * @param profile with species
 * @param wanted a species to include. @default none
 */
export async function firstViewOf(profile: Profile, slices: Slices, wanted?: WantedSpecies): Promise<FirstView> {
  const collections = profile.gamemodes.flatMap((one) =>
    KINDS.map((kind) => ({ kind, species: one[kind].species ?? [] })),
  )
  const count = collections.reduce((sum, { species }) => sum + species.length, 0)
  if (count <= MAX_PAGE_SPECIES) return { profile, isPartial: false }
  const first = await firstNames(collections, slices)
  const gamemodes: Profile['gamemodes'] = []
  const isWanted = speciesMatcher(wanted)
  const isFirst = (kind: Kind) => (name: string) => first.has(keyOf(kind, name)) || isWanted(kind, name)
  for (const { gamemode, fish, crab } of profile.gamemodes) {
    gamemodes.push({
      gamemode,
      fish: { ...fish, species: await filtered(fish.species, isFirst('fish'), slices) },
      crab: { ...crab, species: await filtered(crab.species, isFirst('crab'), slices) },
    })
  }
  return { profile: { ...profile, gamemodes }, isPartial: true }
}

/** Returns a function that finds the spellings of a species that differ only in letter case and spaces. */
export function speciesMatcher(wanted: WantedSpecies | undefined): (kind: Kind, name: string) => boolean {
  if (!wanted) return () => false
  const folded = foldSpeciesName(wanted.name)
  return (kind, name) =>
    kind === wanted.kind && (name === wanted.name || (folded !== '' && foldSpeciesName(name) === folded))
}

interface Listed {
  readonly name: string
  /** Absent for crabs. */
  readonly rarity?: RarityLabel
  readonly count: number
}

interface Ranked {
  readonly key: string
  readonly rank: number
  readonly count: number
}

const keyOf = (kind: Kind, name: string) => `${kind} ${name}`

async function firstNames(
  collections: readonly { readonly kind: Kind; readonly species: readonly Listed[] }[],
  slices: Slices,
): Promise<ReadonlySet<string>> {
  const ranked = new Map<string, Ranked>()
  for (const { kind, species } of collections) {
    for await (const slice of slices(species)) {
      for (const { name, rarity, count } of slice) {
        const key = keyOf(kind, name)
        const known = ranked.get(key)
        const rank = Math.max(known?.rank ?? -1, RARITY_LABELS.indexOf(rarity as RarityLabel))
        ranked.set(key, { key, rank, count: count + (known?.count ?? 0) })
      }
    }
  }
  let first: Ranked[] = []
  for await (const slice of slices(ranked.values())) first = [...first, ...slice].sort(byRank).slice(0, FIRST_SPECIES)
  return new Set(first.map(({ key }) => key))
}

function byRank(one: Ranked, other: Ranked): number {
  return other.rank - one.rank || other.count - one.count || compareText(one.key, other.key)
}

async function filtered<Species extends { readonly name: string }>(
  species: readonly Species[] = [],
  isWanted: (name: string) => boolean,
  slices: Slices,
): Promise<Species[]> {
  const found: Species[] = []
  for await (const slice of slices(species)) found.push(...slice.filter(({ name }) => isWanted(name)))
  return found
}
