import type { Crab, Fish } from '@fish-crab/sdk'
import { RARITIES, type RarityLabel } from '@fish-crab/sdk/constants'
import { usageError } from '../../core/errors.ts'
import { parseMoment, parseRarity, parseWholeNumber, rarityList } from '../../core/parse-values.ts'

export type Catch = Crab & Partial<Pick<Fish, 'rarity'>>

export interface CatchQuery {
  readonly filter?: ((each: Catch) => boolean) | undefined
  /** Earliest time of a catch, in milliseconds since 1970. */
  readonly since?: number | undefined
  readonly sort?: { readonly by: SortField; readonly descending: boolean } | undefined
  readonly limit?: number | undefined
}

export const SORT_FIELDS = ['name', 'rarity', 'caughtAt'] as const

type SortField = (typeof SORT_FIELDS)[number]

export type CatchQueryFlags = Readonly<Partial<Record<keyof CatchQuery, string | undefined>>>

export function parseCatchQuery({ filter, since, sort, limit }: CatchQueryFlags, now: number): CatchQuery {
  return {
    filter: filter === undefined ? undefined : parseFilter(filter),
    since: since === undefined ? undefined : parseMoment(since, now, '--since'),
    sort: sort === undefined ? undefined : parseSort(sort),
    limit: limit === undefined ? undefined : parseWholeNumber('--limit', limit, 1),
  }
}

export function needsTime({ since, sort }: CatchQuery): boolean {
  return since !== undefined || sort?.by === 'caughtAt'
}

/** Selects and sorts catches. Equal catches keep their order. */
export function selectCatches<Each extends Catch>(catches: readonly Each[], query: CatchQuery): readonly Each[] {
  const { filter = () => true, since, sort, limit } = query
  const found = catches.filter((each) => filter(each) && (since === undefined || timeOf(each) >= since))
  const sorted = sort ? found.sort((a, b) => compare(a, b, sort.by) * (sort.descending ? -1 : 1)) : found
  return limit === undefined ? sorted : sorted.slice(0, limit)
}

function compare(a: Catch, b: Catch, by: SortField): number {
  if (by === 'name') return a.name.localeCompare(b.name, 'en', { sensitivity: 'base', numeric: true })
  if (by === 'caughtAt') return timeOf(a) - timeOf(b)
  return rank(a.rarity) - rank(b.rarity)
}

function timeOf({ caughtAt }: Catch): number {
  return caughtAt === undefined ? Number.NEGATIVE_INFINITY : Date.parse(caughtAt)
}

function rank(label: RarityLabel | undefined): number {
  return RARITIES.findIndex((rarity) => rarity.label === label)
}

function parseFilter(text: string): (each: Catch) => boolean {
  const [, field, wanted = ''] = /^(name|rarity)=(.*)$/is.exec(text) ?? []
  if (field?.toLowerCase() === 'rarity') {
    const values = wanted.split(',').map(parseRarity)
    if (values.includes(undefined)) {
      throw usageError(
        'Unknown rarity in --filter.',
        `Choose from ${rarityList()}. For example: fish-cli list --filter rarity=gold`,
      )
    }
    const labels = new Set(RARITIES.filter(({ value }) => values.includes(value)).map(({ label }) => label))
    return ({ rarity }) => rarity !== undefined && labels.has(rarity)
  }
  const part = (field === undefined ? text : wanted).toLowerCase()
  return ({ name }) => name.toLowerCase().includes(part)
}

function parseSort(text: string): { by: SortField; descending: boolean } {
  const descending = text.startsWith('-')
  const name = text.replace(/^-/, '').toLowerCase()
  const by = SORT_FIELDS.find((field) => field.toLowerCase() === name)
  if (by) return { by, descending }
  throw usageError(
    `--sort must be one of ${SORT_FIELDS.join(', ')}.`,
    'For the reverse order, put - before the field: fish-cli list --sort=-rarity',
  )
}
