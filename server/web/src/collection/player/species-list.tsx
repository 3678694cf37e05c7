import { memo } from 'preact/compat'
import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import { type KnownIndex, type KnownSpecies, shareOf } from '../../data/known-species.ts'
import {
  filtersOf,
  inOrder,
  type ListOptions,
  matching,
  type Only,
  ORDERS,
  type Order,
  type Part,
  RAREST_FIRST,
  type SpeciesEntry,
  type SpeciesName,
  withMissing,
} from '../../data/species-list.ts'
import { Creature, tintOf } from '../../parts/creature.tsx'
import { formatCompact, formatNumber } from '../../parts/format.ts'
import { isPlainClick } from '../../parts/plain-click.ts'
import { Time } from '../../parts/time.tsx'
import { catchesTexts } from '../../texts/catches.ts'
import { speciesTexts as texts } from '../../texts/species.tsx'
import { ScrollArea } from './scroll-area.tsx'

/** Number of species in the first view. Each drawing adds 1 KB to the page of the server. */
const FIRST = 6
/** Number of species that are drawn in one step. More species would block the page. */
const CHUNK = 12
/** Number of cards that have their place in the first view, so that the page below them does not move. */
export const PLACES = 18
/** Number of species that the button for more adds. */
const MORE = 48
/** Number of species that appear before the user presses the button for more. */
const SHOWN_FIRST = 96

/** A collection beside the known species. */
interface Book {
  /** @default no species are known, or they are not loaded yet */
  readonly known: KnownIndex | undefined
  /** Whether known species exist that are not loaded yet. */
  readonly isLoading: boolean
  /** The known species that the collection lacks. */
  readonly missing: readonly KnownSpecies[]
  /** The number of missing species. @default not loaded yet */
  readonly missingCount: number | undefined
}

/** How the species of a list open. */
export interface SpeciesLink {
  readonly pathOf: (species: SpeciesName) => string
  /** Opens the species in place. */
  readonly open: (species: SpeciesName) => void
}

interface SpeciesListProps {
  readonly entries: readonly SpeciesEntry[]
  /** The number of species, of which `entries` may hold only the first. */
  readonly total: number
  readonly book: Book
  /** Keys of the species that the last update added. */
  readonly fresh: ReadonlySet<string>
  /** Where a species leads. @default nowhere */
  readonly link: SpeciesLink | undefined
  readonly options: ListOptions
  readonly onOptions: (options: ListOptions) => void
}

/** All species of a collection, each once, and the known species that it lacks, as cards or as a table. */
export function SpeciesList({ entries, total, book, fresh, link, options, onOptions }: SpeciesListProps) {
  const { text, only, part, order, isTable } = options
  const { missing } = book
  const [more, setMore] = useState({ options, shown: FIRST })
  // After a change of the filter, the order or the view, show only the first chunk again.
  const shown = more.options === options ? more.shown : FIRST
  const id = useId()

  const ordered = useMemo(() => inOrder(entries, order), [entries, order])
  const found = useMemo((): readonly Row[] => {
    const caught = part === 'missing' ? [] : matching(ordered, { text, only })
    return part === 'caught' ? caught : withMissing<Row>(caught, matching(missing, { text, only }), order)
  }, [ordered, missing, text, only, part, order])
  const all = total + (book.missingCount ?? missing.length)
  const visible = found.slice(0, shown)
  const isFiltered = text.trim() !== '' || only !== undefined || part === 'caught'
  const isWhole = total === entries.length && (isFiltered || !book.isLoading)
  const expected = isWhole ? found.length : all
  const ghosts = shown < PLACES ? Math.max(0, Math.min(PLACES, expected) - visible.length) : 0
  useEffect(() => {
    if (shown >= Math.min(SHOWN_FIRST, found.length)) return undefined
    const timer = setTimeout(() => setMore({ options, shown: shown + CHUNK }))
    return () => clearTimeout(timer)
  })
  const chunks = Array.from({ length: Math.ceil(visible.length / CHUNK) }, (_, index) =>
    visible.slice(index * CHUNK, (index + 1) * CHUNK),
  )
  return (
    <section class="species-list" aria-labelledby={`${id}-title`}>
      <div class="species-list-head">
        <h2 id={`${id}-title`}>{texts.title}</h2>
        <p class="found" role="status">
          {texts.found(found.length === entries.length + missing.length ? all : found.length, all)}
        </p>
        {(book.isLoading || missing.length > 0) && (
          <Parts missing={book.missingCount} options={options} onOptions={onOptions} />
        )}
      </div>
      <Toolbar entries={entries} options={options} onOptions={onOptions} />
      {found.length + ghosts === 0 ? (
        <p class="quiet">{texts.nothing}</p>
      ) : isTable ? (
        <ScrollArea label={texts.tableLabel} isPanel>
          <table class="species-table">
            <thead>
              <tr>
                <th scope="col">{texts.title}</th>
                <th scope="col" class="number">
                  {texts.count}
                </th>
                <th scope="col">{catchesTexts.rarities}</th>
                <th scope="col">{texts.firstCaught}</th>
                <th scope="col">{texts.lastCaught}</th>
                {book.known && <th scope="col">{texts.players}</th>}
              </tr>
            </thead>
            {chunks.map((chunk, index) => (
              <TableChunk key={index} rows={chunk} book={book} fresh={fresh} link={link} />
            ))}
          </table>
        </ScrollArea>
      ) : (
        <ul class="cards">
          {chunks.map((chunk, index) => (
            <CardChunk key={index} rows={chunk} book={book} fresh={fresh} link={link} />
          ))}
          <Ghosts count={ghosts} />
        </ul>
      )}
      {shown >= SHOWN_FIRST && visible.length < found.length && (
        <p class="more">
          <button type="button" onClick={() => setMore({ options, shown: shown + MORE })}>
            {texts.more(Math.min(MORE, found.length - visible.length), found.length - visible.length)}
          </button>
        </p>
      )}
    </section>
  )
}

/** Cards in the place of species that are not drawn yet, so that the page does not move. */
export function Ghosts({ count }: { readonly count: number }) {
  return (
    <>
      {Array.from({ length: count }, (_, index) => (
        <li key={index} class="card ghost placeholder" aria-hidden="true" />
      ))}
    </>
  )
}

interface PartsProps extends Pick<SpeciesListProps, 'options' | 'onOptions'> {
  /** @default not loaded yet */
  readonly missing: number | undefined
}

/** The filter between the species that the player has, and the others. */
function Parts({ missing, options, onOptions }: PartsProps) {
  const choices: readonly (readonly [Part | undefined, string])[] = [
    [undefined, catchesTexts.all],
    ['caught', texts.caughtPart],
    ['missing', missing === undefined ? texts.missingPart : `${texts.missingPart} ${formatNumber(missing)}`],
  ]
  return (
    <div class="segments">
      {choices.map(([part, label]) => (
        <button
          key={part ?? 'all'}
          type="button"
          aria-pressed={options.part === part}
          onClick={() => onOptions({ ...options, part })}
        >
          {label}
        </button>
      ))}
    </div>
  )
}

type ToolbarProps = Pick<SpeciesListProps, 'entries' | 'options' | 'onOptions'>

function Toolbar({ entries, options, onOptions }: ToolbarProps) {
  const { text, only, order, isTable } = options
  const filters = useMemo(() => filtersOf(entries), [entries])
  const change = (some: Partial<ListOptions>) => onOptions({ ...options, ...some })
  return (
    <div class="toolbar">
      <input
        type="search"
        class="grows"
        aria-label={texts.search}
        placeholder={texts.search}
        value={text}
        onInput={({ currentTarget: { value } }) => change({ text: value })}
      />
      <select
        aria-label={texts.show}
        value={only ?? ''}
        onChange={({ currentTarget: { value } }) => change({ only: value === '' ? undefined : (value as Only) })}
      >
        <option value="">{texts.all}</option>
        {filters.map((one) => (
          <option key={one} value={one}>
            {one === 'fish' || one === 'crab' ? catchesTexts.kinds[one] : one}
          </option>
        ))}
      </select>
      <select
        aria-label={texts.sort}
        value={order}
        onChange={({ currentTarget: { value } }) => change({ order: value as Order })}
      >
        {ORDERS.map((one) => (
          <option key={one} value={one}>
            {texts.orders[one]}
          </option>
        ))}
      </select>
      <button type="button" aria-pressed={isTable} onClick={() => change({ isTable: !isTable })}>
        {texts.table}
      </button>
    </div>
  )
}

/** A species of the player, or one that the player lacks. */
type Row = SpeciesEntry | KnownSpecies

interface ChunkProps extends Pick<SpeciesListProps, 'book' | 'fresh' | 'link'> {
  readonly rows: readonly Row[]
}

const isCaught = (row: Row): row is SpeciesEntry => 'key' in row
const keyOf = (row: Row) => (isCaught(row) ? row.key : `missing ${row.kind} ${row.name}`)

const areSame = (one: ChunkProps, other: ChunkProps) =>
  one.fresh === other.fresh &&
  one.link === other.link &&
  one.book.known === other.book.known &&
  one.book.isLoading === other.book.isLoading &&
  one.rows.length === other.rows.length &&
  one.rows.every((row, index) => row === other.rows[index])

const CardChunk = memo(({ rows, book, fresh, link }: ChunkProps) => {
  return (
    <>
      {rows.map((row) =>
        isCaught(row) ? (
          <CaughtCard key={row.key} entry={row} book={book} isFresh={fresh.has(row.key)} link={link} />
        ) : (
          <MissingCard key={keyOf(row)} species={row} link={link} />
        ),
      )}
    </>
  )
}, areSame)

interface CaughtCardProps extends Pick<ChunkProps, 'link'> {
  readonly entry: SpeciesEntry
  readonly book: Book
  readonly isFresh: boolean
}

function CaughtCard({ entry, book: { known, isLoading }, isFresh, link }: CaughtCardProps) {
  const species = known?.find(entry)
  return (
    <li class={`card ${tintOf(entry.rarity)}`}>
      <div class="card-picture">
        <Creature kind={entry.kind} name={entry.name} rarity={entry.rarity} />
        <span class="card-count">
          <Times count={entry.count} />
        </span>
        {isFresh && <span class="new">{texts.isNew}</span>}
      </div>
      <div class="card-text">
        <p class="card-name" title={entry.name}>
          <LinkedName entry={entry} link={link} />
        </p>
        <Pips entry={entry} />
        {entry.firstCaughtAt !== undefined && (
          <p class="card-times">{texts.first(<Time at={entry.firstCaughtAt} format="date" />)}</p>
        )}
        {/* The line has its place before the known species are loaded, so that cards do not grow. */}
        {(known ? species : isLoading) && (
          <p class="card-times">{known && species ? texts.share(shareOf(species, known)) : '\u00a0'}</p>
        )}
      </div>
    </li>
  )
}

function MissingCard({ species, link }: { readonly species: KnownSpecies } & Pick<ChunkProps, 'link'>) {
  const { kind, name, players, hint } = species
  return (
    <li class="card missing">
      <div class="card-picture">
        <Creature kind={kind} name={name} isSilhouette />
      </div>
      <div class="card-text">
        <p class="card-name" title={name}>
          <LinkedName entry={species} link={link} />
        </p>
        <p class="card-times">
          <span class="visually-hidden">{texts.missing} </span>
          {texts.havingPlayers(players)}
        </p>
        {hint !== undefined && <p class="card-hint">{hint}</p>}
      </div>
    </li>
  )
}

/** How often a species was caught. */
export function Times({ count }: { readonly count: number }) {
  return (
    <>
      <span aria-hidden="true">×</span>
      {formatNumber(count)}
      <span class="visually-hidden"> {catchesTexts.caught}</span>
    </>
  )
}

/** The link covers the whole card, so that a card has one name and one place to press. */
export function LinkedName({ entry, link }: { readonly entry: SpeciesName } & Pick<ChunkProps, 'link'>) {
  if (!link) return <>{entry.name}</>
  return (
    <a
      class="species-link"
      href={link.pathOf(entry)}
      onClick={(event) => {
        if (!isPlainClick(event)) return
        event.preventDefault()
        link.open(entry)
      }}
    >
      {entry.name}
    </a>
  )
}

/** A letter for each rarity. The letter is filled and has a count if the species was caught in that rarity. */
function Pips({ entry: { kind, rarities } }: { readonly entry: SpeciesEntry }) {
  if (kind === 'crab') return <p class="card-times">{catchesTexts.crab}</p>
  return (
    <ul class="pips">
      {RAREST_FIRST.map((rarity) => {
        const caught = rarities.find((one) => one.rarity === rarity)
        if (!caught) {
          return (
            <li key={rarity} class={tintOf(rarity)} aria-hidden="true" title={`${rarity}: ${catchesTexts.notCaught}`}>
              <span class="pip missing" />
            </li>
          )
        }
        return (
          <li key={rarity} class={tintOf(rarity)} title={`${rarity}: ${formatNumber(caught.count)}`}>
            <span class="pip" aria-hidden="true" />
            <span class="visually-hidden">{rarity}: </span>
            {formatCompact(caught.count)}
          </li>
        )
      })}
    </ul>
  )
}

const TableChunk = memo(({ rows, book: { known }, fresh, link }: ChunkProps) => {
  return (
    <tbody>
      {rows.map((row) => {
        const caught = isCaught(row) ? row : undefined
        const species = known?.find(row)
        return (
          <tr key={keyOf(row)} class={caught ? tintOf(caught.rarity) : 'missing'}>
            <th scope="row">
              <Creature kind={row.kind} name={row.name} rarity={caught?.rarity} isSilhouette={!caught} />
              <LinkedName entry={row} link={link} />
              {caught && fresh.has(caught.key) && <span class="new">{texts.isNew}</span>}
            </th>
            <td class="number">{caught ? formatNumber(caught.count) : texts.missingPart}</td>
            <td>{caught && <Pips entry={caught} />}</td>
            <td>{caught?.firstCaughtAt !== undefined && <Time at={caught.firstCaughtAt} format="date" />}</td>
            <td>{caught?.lastCaughtAt !== undefined && <Time at={caught.lastCaughtAt} format="date" />}</td>
            {known && <td>{species && `${formatNumber(species.players)} (${shareOf(species, known)})`}</td>}
          </tr>
        )
      })}
    </tbody>
  )
}, areSame)
