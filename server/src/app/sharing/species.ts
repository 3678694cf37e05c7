import { KINDS, type Kind, type Profile, RARITY_LABELS, type RarityLabel } from '@fish-crab/sdk/contract'
import { speciesMatcher, type WantedSpecies } from '../catches/first-view.ts'
import { type CardOptions, cardFrame, fitted, MARGIN, QUIET, readable, text } from './card-frame.ts'
import { drawingOf } from './drawing.ts'
import { CARD_SIZE, counted, formatNumber, LABEL_COLOURS } from './figures.ts'

/** The query of a page or picture of a species. */
export interface SpeciesQuery extends WantedSpecies {
  /** @default all */
  readonly gamemode: string | undefined
}

/** The catches of a player of one species. */
interface CaughtSpecies {
  readonly kind: Kind
  readonly name: string
  readonly count: number
  readonly firstCaughtAt: string
  /** The catches of each rarity, rarest first. Empty for crabs. */
  readonly rarities: readonly { readonly rarity: RarityLabel; readonly count: number }[]
}

/** Reads the species in a query. @returns `undefined` if the query names none */
export function readSpeciesQuery(query: URLSearchParams, gamemodes: readonly string[]): SpeciesQuery | undefined {
  const name = query.get('name')
  const kind = KINDS.find((one) => one === query.get('kind')) ?? 'fish'
  const wanted = query.get('gamemode')?.toLowerCase()
  return name ? { kind, name, gamemode: gamemodes.find((one) => one === wanted) } : undefined
}

/** Returns the query of the page of a species. */
export function speciesSearch({ kind, name, gamemode }: SpeciesQuery): string {
  return `?${new URLSearchParams({ name, ...(kind === 'crab' && { kind }), ...(gamemode && { gamemode }) })}`
}

/**
 * Sums the catches of a species in its own spelling, or else in one that differs only in letter case and spaces.
 * @param profile with few species
 * @returns `undefined` if the player has caught none
 */
export function caughtSpeciesOf(profile: Profile, query: SpeciesQuery): CaughtSpecies | undefined {
  const { kind, gamemode } = query
  const isWanted = speciesMatcher(query)
  const found = profile.gamemodes
    .filter((one) => gamemode === undefined || one.gamemode === gamemode)
    .flatMap((one) => listed(one[kind].species).filter((species) => isWanted(kind, species.name)))
  const name = found.some((one) => one.name === query.name) ? query.name : found[0]?.name
  if (name === undefined) return undefined
  const same = found.filter((one) => one.name === name)
  const sum = (some: readonly Listed[]) => some.reduce((total, { count }) => total + count, 0)
  return {
    kind,
    name,
    count: sum(same),
    firstCaughtAt: same.map((one) => one.firstCaughtAt).sort()[0] ?? '',
    rarities: [...RARITY_LABELS].reverse().flatMap((rarity) => {
      const count = sum(same.filter((one) => one.rarity === rarity))
      return count > 0 ? [{ rarity, count }] : []
    }),
  }
}

interface Listed {
  readonly name: string
  /** Absent for crabs. */
  readonly rarity?: RarityLabel
  readonly count: number
  readonly firstCaughtAt: string
}

const listed = (species: readonly Listed[] | undefined): readonly Listed[] => species ?? []

/** @example '12 Mythical, 40 Gold. First caught 3 March 2026.' */
export function speciesDescriptionOf({ count, firstCaughtAt, rarities }: CaughtSpecies): string {
  const counts = rarities.map((one) => `${formatNumber(one.count)} ${one.rarity}`).join(', ')
  return `${counts || `${formatNumber(count)} caught`}. First caught ${formatDay(firstCaughtAt)}.`
}

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const formatDay = (time: string) => days.format(new Date(time))

const PICTURE = { x: MARGIN, y: 96, width: 520, height: 420 } as const
const COLUMN = { x: 626, width: CARD_SIZE.width - 626 - MARGIN } as const
const SHOWN_RARITIES = 4

/** Returns the catches of a player of one species as an SVG picture. */
export function speciesCardOf(user: string, species: CaughtSpecies, { site, address }: CardOptions): string {
  const { kind, count, firstCaughtAt, rarities } = species
  const rarity = rarities[0]?.rarity
  const colour = LABEL_COLOURS[rarity ?? 'Crab']
  const { x, y, width, height } = PICTURE
  const name = fitted(readable(species.name), { width: COLUMN.width, size: 76, smallest: 30 })
  const below = fitted(`${user} · ${site}`, { width: COLUMN.width, size: 28, smallest: 18 })
  const rows = rarities.slice(0, SHOWN_RARITIES)
  const left = rarities.length - rows.length
  const facts = [
    counted(count, 'catch', 'catches'),
    `first on ${formatDay(firstCaughtAt)}`,
    ...(left > 0 ? [counted(left, 'more rarity', 'more rarities')] : []),
  ].join(' · ')
  const line = fitted(facts, { width: COLUMN.width, size: 24, smallest: 16 })
  return cardFrame(
    [
      `<radialGradient id="light" cx=".5" cy=".45" r=".6"><stop stop-color="${colour}" stop-opacity=".4"/><stop offset="1" stop-color="${colour}" stop-opacity=".04"/></radialGradient>`,
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="34" fill="#06202f" fill-opacity=".72"/>`,
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="34" fill="url(#light)" stroke="${colour}" stroke-width="4"/>`,
      drawingOf({ kind, name: species.name, rarity }, { x: x + width / 2, y: y + height / 2, scale: 3.7 }),
      text(name.text, { x: COLUMN.x, y: 186, size: name.size, weight: 800, fill: '#ffffff' }),
      text(below.text, { x: COLUMN.x, y: 238, size: below.size, weight: 600, fill: QUIET }),
      ...rows.map((row, index) => rarityRow(row, 310 + index * 50)),
      text(line.text, { x: COLUMN.x, y: 512, size: line.size, weight: 600, fill: '#cfeaf4' }),
    ],
    address,
  )
}

function rarityRow({ rarity, count }: CaughtSpecies['rarities'][number], y: number): string {
  const colour = LABEL_COLOURS[rarity]
  return [
    `<circle cx="${COLUMN.x + 11}" cy="${y - 10}" r="11" fill="${colour}"/>`,
    text(formatNumber(count), { x: COLUMN.x + 40, y, size: 34, weight: 800, fill: '#ffffff' }),
    text(rarity, { x: COLUMN.x + 160, y, size: 30, weight: 600, fill: colour }),
  ].join('\n')
}
