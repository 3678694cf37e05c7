import { ALL_TIME, KINDS, type LeaderboardFigure, RARITIES, type RarityLabel } from '@fish-crab/sdk/contract'
import type { Board } from '../../page-data.ts'
import { type DayTally, MAX_SPECIES } from '../../storage/core/types.ts'
import type { Logger } from '../core/host.ts'
import type { Schedule } from '../core/schedule.ts'
import { createSlices, type Slices, sortInSlices } from '../core/slices.ts'
import { type CountedCollection, type CountedPlayers, countedPlayers, createCensus } from './census.ts'
import type { Gamemodes } from './gamemodes.ts'

interface StandingsOptions extends CountedPlayers {
  readonly gamemodes: Gamemodes
  readonly clock: () => number
  readonly schedule: Schedule
  readonly logger: Logger
  readonly isAccepting: () => boolean
}

/** A player on a leaderboard. */
interface Standing {
  /** Id of the player. */
  readonly owner: string
  /** At least 1. */
  readonly count: number
  /** The rarest fish that the player has ever caught. @default the player has no fish */
  readonly rarest: RarityLabel | undefined
}

/** The players of a leaderboard, highest count first. Players with equal counts are in the order of their names. */
interface Standings {
  /** Start of the count, in Unix milliseconds. */
  readonly countedAt: number
  readonly players: number
  /** @param limit maximum number of players */
  first(limit: number): readonly Standing[]
  /** Returns the place of a player. Players with equal counts share a rank, from 1. */
  placeOf(owner: string): { readonly rank: number; readonly count: number } | undefined
}

export type ReadStandings = (board: Board, signal: AbortSignal) => Promise<Standings>

/** Maximum number of months whose counts are stored, each of about 200 bytes per player. */
const MAX_MONTHS = 6

/** Creates a reader of leaderboards. One count of a period serves all of its leaderboards. */
export function createStandings(options: StandingsOptions): ReadStandings {
  const count = (period: string) => countPeriod(options, period)
  const allTime = createCensus({ ...options, what: 'leaderboards', count })
  // Clients choose the months, and must not evict or delay the leaderboard of all time.
  const months = createCensus({ ...options, what: 'leaderboards', capacity: MAX_MONTHS, count })
  return async ({ kind, by, gamemode, period }, signal) => {
    const counted = await (period === ALL_TIME ? allTime : months).read(period, signal)
    return standingsOf(counted, counted.boards.get(boardKey(kind, by, gamemode)) ?? [])
  }
}

const boardKey = (kind: string, by: LeaderboardFigure, gamemode = '') => `${kind} ${by} ${gamemode}`

/** The counts of a period. Players are numbered in the order of their names. */
interface Counted {
  readonly countedAt: number
  readonly owners: readonly string[]
  readonly rarest: readonly (RarityLabel | undefined)[]
  /** The places of each leaderboard, highest first. */
  readonly boards: ReadonlyMap<string, readonly number[]>
}

/** A place packs the count and the player into one number to save memory. */
const MAX_PLAYERS = 2 ** 24
const placeIn = (count: number, player: number) => count * MAX_PLAYERS + (MAX_PLAYERS - 1 - player)
const countIn = (place: number) => Math.floor(place / MAX_PLAYERS)
const playerIn = (place: number) => MAX_PLAYERS - 1 - (place % MAX_PLAYERS)

function standingsOf({ countedAt, owners, rarest }: Counted, places: readonly number[]): Standings {
  return {
    countedAt,
    players: places.length,
    first: (limit) =>
      places.slice(0, limit).map((place) => {
        const player = playerIn(place)
        return { owner: owners[player] ?? '', count: countIn(place), rarest: rarest[player] }
      }),
    placeOf(owner) {
      const player = owners.indexOf(owner)
      const place = player < 0 ? undefined : places.find((one) => playerIn(one) === player)
      if (place === undefined) return undefined
      const count = countIn(place)
      return { rank: 1 + places.findIndex((one) => countIn(one) === count), count }
    },
  }
}

async function countPeriod(options: StandingsOptions, period: string): Promise<Counted> {
  const { gamemodes, clock } = options
  const countedAt = clock()
  const [owners, rarest]: [string[], (RarityLabel | undefined)[]] = [[], []]
  const boards = new Map<string, readonly number[]>()
  const unsorted = new Map<string, number[]>()
  const slices = createSlices()
  for await (const { owner, collections } of countedPlayers(options, gamemodes.names)) {
    const player = owners.push(owner) - 1
    rarest.push(await rarestOf(collections, slices))
    const count = period === ALL_TIME ? countAll : countMonth
    for (const [key, counted] of await count(collections, { period, slices })) {
      const board = unsorted.get(key) ?? []
      unsorted.set(key, board)
      board.push(placeIn(counted, player))
    }
  }
  for (const [key, places] of unsorted) {
    boards.set(key, await sortInSlices(places, (one, other) => other - one, slices))
  }
  return { countedAt, owners, rarest, boards }
}

interface CountOptions {
  readonly period: string
  readonly slices: Slices
}

type Counts = Map<string, number>

function addTo(counts: Counts, { kind, gamemode }: CountedCollection, by: LeaderboardFigure, count: number): void {
  for (const key of [boardKey(kind, by, gamemode), boardKey(kind, by)]) counts.set(key, (counts.get(key) ?? 0) + count)
}

const FIGURES = new Map<string | null, LeaderboardFigure>(RARITIES.map(({ label, value }) => [label, `${value}`]))

interface LabelTally extends Pick<DayTally, 'label' | 'count'> {
  /** @default the tally is of a day */
  readonly name?: string
}

/** The tallies by label. A collection with more than 10,000 species returns none of them. */
const labelled = ({ species, days }: CountedCollection): readonly LabelTally[] => species ?? days ?? []

async function countAll(collections: readonly CountedCollection[], { slices }: CountOptions): Promise<Counts> {
  const counts: Counts = new Map()
  for (const kind of KINDS) {
    const all = new Set<string>()
    let [isListed, isAny] = [true, false]
    for (const collection of collections.filter((one) => one.kind === kind)) {
      isAny = true
      const names = new Set<string>()
      addTo(counts, collection, 'catches', collection.count)
      for await (const slice of slices(labelled(collection))) {
        for (const tally of slice) {
          const figure = FIGURES.get(tally.label)
          if (figure) addTo(counts, collection, figure, tally.count)
          if (tally.name === undefined) continue
          names.add(tally.name)
          all.add(tally.name)
        }
      }
      isListed &&= collection.species !== null
      counts.set(boardKey(kind, 'species', collection.gamemode), collection.species === null ? MAX_SPECIES : names.size)
    }
    if (isAny) counts.set(boardKey(kind, 'species'), isListed ? all.size : Math.max(MAX_SPECIES, all.size))
  }
  return counts
}

async function countMonth(
  collections: readonly CountedCollection[],
  { period, slices }: CountOptions,
): Promise<Counts> {
  const counts: Counts = new Map()
  for (const collection of collections) {
    for await (const slice of slices(collection.days ?? [])) {
      for (const { day, label, count } of slice) {
        if (!day.startsWith(period)) continue
        const figure = FIGURES.get(label)
        addTo(counts, collection, 'catches', count)
        if (figure) addTo(counts, collection, figure, count)
      }
    }
  }
  return counts
}

async function rarestOf(collections: readonly CountedCollection[], slices: Slices): Promise<RarityLabel | undefined> {
  let rarest = -1
  for (const collection of collections) {
    if (collection.kind !== 'fish') continue
    for await (const slice of slices(labelled(collection))) {
      for (const { label } of slice)
        rarest = Math.max(
          rarest,
          RARITIES.findIndex((one) => one.label === label),
        )
    }
  }
  return RARITIES[rarest]?.label
}
