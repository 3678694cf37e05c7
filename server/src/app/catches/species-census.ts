import {
  foldSpeciesName,
  type Kind,
  type KnownSpecies,
  LIMITS,
  RARITY_LABELS,
  type SpeciesList,
  speciesListSchema,
} from '@fish-crab/sdk/contract'
import english from 'zod/v4/locales/en.js'
import type { SpeciesTally } from '../../storage/core/types.ts'
import { type Slices, sortInSlices } from '../core/slices.ts'
import { compareText } from './summary.ts'

/** What the operator decides about the list of known species. */
export interface SpeciesPolicy {
  /** Number of players who must have a species or a spelling before others see it. @default 3 */
  readonly minPlayers?: number
  /** The only species to list. @default every species that enough players have */
  readonly list?: SpeciesList
}

/** The catches of one kind of one player, in one gamemode. */
interface CountedCollection {
  readonly kind: Kind
  readonly species: readonly SpeciesTally[]
}

/** Number of players with a species or a spelling. `last` is the last of these players, who counts once. */
interface Players {
  players: number
  last: number
}

interface Spelling extends Players {
  readonly text: string
}

interface Species extends Players {
  readonly kind: Kind
  readonly folded: string
  spellings: Spelling[]
  readonly listed?: SpeciesList[number]
  /** One bit for each of `RARITY_LABELS`, because a set for each species takes ten times the memory. */
  rarities: number
  catches: number
  first: number
}

type Known = KnownSpecies['species'][number]

export const DEFAULT_MIN_PLAYERS = 3

/** A spelling of one or two players may be anything that they typed. */
const MIN_SPELLING_PLAYERS = 3

/**
 * Maximum number of counted species, and of further spellings. They take up to 64 MB. Without a maximum, a few players
 * could fill the memory, because names are free text.
 */
const MAX_COUNTED = 100_000

const LABELS: readonly (string | null)[] = RARITY_LABELS

/** The key of a species in sets of known species. */
export const knownKey = (kind: Kind, name: string) => keyOf(kind, foldSpeciesName(name))

const keyOf = (kind: Kind, folded: string) => `${kind} ${folded}`

/** Describes every mistake in a list of species, such as `entry 2: name: "SALMON" is the same fish as "Salmon"`. */
export function speciesMistakes(list: unknown): readonly string[] {
  const { success, data, error } = speciesListSchema.safeParse(list, { error: english().localeError })
  if (!success) {
    return error.issues.map(({ path: [index, ...fields], message }) =>
      index === undefined ? message : `${entry(index)}: ${[fields.join('.'), message].filter(Boolean).join(': ')}`,
    )
  }
  const spelled = new Map<string, string>()
  return data.flatMap(({ kind, name }, index) => {
    const quoted = JSON.stringify(name)
    const folded = foldSpeciesName(name)
    if (folded === '') return [`${entry(index)}: name: ${quoted} has no visible characters, or too many`]
    const key = keyOf(kind, folded)
    const earlier = spelled.get(key)
    if (earlier !== undefined) return [`${entry(index)}: name: ${quoted} is the same ${kind} as ${earlier}`]
    spelled.set(key, quoted)
    return []
  })
}

const entry = (index: PropertyKey) => `entry ${Number(index) + 1}`

/**
 * Creates an empty census of species, which counts one player after the other. The counts are exact up to
 * {@link MAX_COUNTED} species and further spellings. Beyond this number, the census forgets those with the fewest
 * players so far.
 */
export function createSpeciesCensus(
  { minPlayers = DEFAULT_MIN_PLAYERS, list }: SpeciesPolicy,
  maxCounted: number = MAX_COUNTED,
) {
  const counted = new Map<string, Species>()
  let players = 0
  let size = 0

  function add(kind: Kind, folded: string, listed?: SpeciesList[number]): Species {
    const found = { kind, folded, spellings: [], rarities: 0, players: 0, last: 0, catches: 0, first: Number.NaN }
    const species: Species = listed ? { ...found, listed } : found
    counted.set(keyOf(kind, folded), species)
    size += 1
    return species
  }

  for (const entry of list ?? []) add(entry.kind, foldSpeciesName(entry.name), entry)

  function count(kind: Kind, { name, label, count: catches, first }: SpeciesTally): void {
    const folded = foldSpeciesName(name)
    if (folded === '') return
    const species = counted.get(keyOf(kind, folded)) ?? (list ? undefined : add(kind, folded))
    if (!species) return
    countPlayer(species, players)
    species.catches += catches
    if (!(species.first <= first)) species.first = first
    const rarity = LABELS.indexOf(label)
    if (rarity >= 0) species.rarities |= 1 << rarity
    if (species.listed) return
    const { spellings } = species
    let spelling = spellings.find(({ text }) => text === name)
    if (!spelling) {
      spelling = { text: name, players: 0, last: 0 }
      spellings.push(spelling)
      if (spellings.length > 1) size += 1
    }
    countPlayer(spelling, players)
  }

  /** Frees a quarter, so that the work of forgetting is spread over many names. */
  async function forgetRare(slices: Slices): Promise<void> {
    for (let fewest = 1; size > (maxCounted * 3) / 4; fewest += 1) {
      for await (const slice of slices(counted)) {
        for (const [key, species] of slice) {
          const { spellings } = species
          size -= Math.max(1, spellings.length)
          if (species.players <= fewest) counted.delete(key)
          else {
            species.spellings = spellings.filter((one) => one.players > fewest)
            size += Math.max(1, species.spellings.length)
          }
        }
      }
    }
  }

  function describe(species: Species): Known {
    const { kind, listed, rarities, players: owners, catches, first } = species
    return {
      kind,
      name: listed?.name ?? nameOf(species),
      rarities: listed?.rarities ?? RARITY_LABELS.filter((_, bit) => rarities & (1 << bit)),
      players: owners,
      catches,
      ...(Number.isNaN(first) ? {} : { firstCaughtAt: new Date(first).toISOString() }),
      ...(listed ? { listed: true } : {}),
      ...(listed?.hint === undefined ? {} : { hint: listed.hint }),
    }
  }

  return {
    /** Counts the collections of one player. A player without catches is not counted. */
    async addPlayer(collections: readonly CountedCollection[], slices: Slices): Promise<void> {
      players += 1
      for (const { kind, species } of collections) {
        for await (const slice of slices(species)) {
          for (const tally of slice) count(kind, tally)
          if (!list && size > maxCounted) await forgetRare(slices)
        }
      }
    },

    async result(slices: Slices): Promise<KnownSpecies> {
      const known: Known[] = []
      for await (const slice of slices(counted.values())) {
        for (const species of slice) if (list || species.players >= minPlayers) known.push(describe(species))
      }
      const sorted = await sortInSlices(known, byPlayers, slices)
      return { players, species: sorted.slice(0, LIMITS.knownSpecies) }
    },
  }
}

function countPlayer(counted: Players, player: number): void {
  if (counted.last === player) return
  counted.last = player
  counted.players += 1
}

/** The spelling that most players have. */
function nameOf({ spellings, folded }: Species): string {
  const [first] = spellings.toSorted((one, other) => other.players - one.players || compareText(one.text, other.text))
  return first && first.players >= MIN_SPELLING_PLAYERS ? first.text : folded
}

function byPlayers(one: Known, other: Known): number {
  return other.players - one.players || other.catches - one.catches || compareText(one.name, other.name)
}
