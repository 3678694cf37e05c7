import { memo } from 'preact/compat'
import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import {
  filtersOf,
  inOrder,
  type ListOptions,
  matching,
  type Only,
  ORDERS,
  type Order,
  RAREST_FIRST,
  type SpeciesEntry,
  type SpeciesName,
} from '../../data/species-list.ts'
import { Creature, tintOf } from '../../parts/creature.tsx'
import { formatCompact, formatNumber, useFormats } from '../../parts/format.ts'
import { isPlainClick } from '../../parts/plain-click.ts'
import { PipLegend } from './pip-legend.tsx'
import { ScrollArea } from './scroll-area.tsx'

/** Number of species that are drawn in one step. More species would block the page, and make the server's page large. */
const CHUNK = 12
/** Number of species that the button for more adds. */
const MORE = 48
/** Number of species that appear before the user presses the button for more. */
const SHOWN_FIRST = 96

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
  /** Keys of the species that the last update added. */
  readonly fresh: ReadonlySet<string>
  /** Where a species leads. @default nowhere */
  readonly link: SpeciesLink | undefined
  readonly options: ListOptions
  readonly onOptions: (options: ListOptions) => void
}

/** All species of a collection, each once, as cards or as a table. */
export function SpeciesList({ entries, total, fresh, link, options, onOptions }: SpeciesListProps) {
  const { text, only, order, isTable } = options
  const [more, setMore] = useState({ options, shown: CHUNK })
  // After a change of the filter, the order or the view, show only the first chunk again.
  const shown = more.options === options ? more.shown : CHUNK
  const id = useId()

  const ordered = useMemo(() => inOrder(entries, order), [entries, order])
  const found = useMemo(() => matching(ordered, { text, only }), [ordered, text, only])
  const visible = found.slice(0, shown)
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
        <h2 id={`${id}-title`}>Species</h2>
        <p class="found" role="status">
          {found.length === entries.length
            ? formatNumber(total)
            : `${formatNumber(found.length)} of ${formatNumber(total)}`}
        </p>
      </div>
      <Toolbar entries={entries} options={options} onOptions={onOptions} />
      {entries.some(({ kind }) => kind === 'fish') && <PipLegend />}
      {found.length === 0 ? (
        <p class="quiet">Nothing matches.</p>
      ) : isTable ? (
        <ScrollArea label="Species as a table" isPanel>
          <table class="species-table">
            <thead>
              <tr>
                <th scope="col">Species</th>
                <th scope="col" class="number">
                  Count
                </th>
                <th scope="col">Rarities</th>
                <th scope="col">First caught</th>
                <th scope="col">Last caught</th>
              </tr>
            </thead>
            {chunks.map((chunk, index) => (
              <TableChunk key={index} entries={chunk} fresh={fresh} link={link} />
            ))}
          </table>
        </ScrollArea>
      ) : (
        chunks.map((chunk, index) => <CardChunk key={index} entries={chunk} fresh={fresh} link={link} />)
      )}
      {visible.length < found.length && (
        <p class="more">
          <button type="button" onClick={() => setMore({ options, shown: shown + MORE })}>
            Show {formatNumber(Math.min(MORE, found.length - visible.length))} more of{' '}
            {formatNumber(found.length - visible.length)}
          </button>
        </p>
      )}
    </section>
  )
}

type ToolbarProps = Omit<SpeciesListProps, 'fresh' | 'total' | 'link'>

function Toolbar({ entries, options, onOptions }: ToolbarProps) {
  const { text, only, order, isTable } = options
  const filters = useMemo(() => filtersOf(entries), [entries])
  const change = (some: Partial<ListOptions>) => onOptions({ ...options, ...some })
  return (
    <div class="toolbar">
      <input
        type="search"
        class="grows"
        aria-label="Search"
        placeholder="Search"
        value={text}
        onInput={({ currentTarget: { value } }) => change({ text: value })}
      />
      <select
        aria-label="Show"
        value={only ?? ''}
        onChange={({ currentTarget: { value } }) => change({ only: value === '' ? undefined : (value as Only) })}
      >
        <option value="">All species</option>
        {filters.map((one) => (
          <option key={one} value={one}>
            {one === 'fish' ? 'Fish' : one === 'crab' ? 'Crabs' : one}
          </option>
        ))}
      </select>
      <select
        aria-label="Sort by"
        value={order}
        onChange={({ currentTarget: { value } }) => change({ order: value as Order })}
      >
        {(Object.keys(ORDERS) as Order[]).map((one) => (
          <option key={one} value={one}>
            {ORDERS[one]}
          </option>
        ))}
      </select>
      <button type="button" aria-pressed={isTable} onClick={() => change({ isTable: !isTable })}>
        Table
      </button>
    </div>
  )
}

type ChunkProps = Pick<SpeciesListProps, 'entries' | 'fresh' | 'link'>

const areSame = (one: ChunkProps, other: ChunkProps) =>
  one.fresh === other.fresh &&
  one.link === other.link &&
  one.entries.length === other.entries.length &&
  one.entries.every((entry, index) => entry === other.entries[index])

const CardChunk = memo(({ entries, fresh, link }: ChunkProps) => {
  return (
    <ul class="cards">
      {entries.map((entry) => (
        <li key={entry.key} class={`card ${tintOf(entry.rarity)}`}>
          <div class="card-picture">
            <Creature kind={entry.kind} name={entry.name} rarity={entry.rarity} />
            <span class="card-count">
              <span aria-hidden="true">×</span>
              {formatNumber(entry.count)}
              <span class="visually-hidden"> caught</span>
            </span>
            {fresh.has(entry.key) && <span class="new">New</span>}
          </div>
          <div class="card-text">
            <p class="card-name" title={entry.name}>
              <LinkedName entry={entry} link={link} />
            </p>
            <Pips entry={entry} />
            {entry.firstCaughtAt !== undefined && (
              <p class="card-times">
                First <Moment time={entry.firstCaughtAt} />
              </p>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}, areSame)

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

/** A pip for each rarity. The pip is filled and has a count if the species was caught in that rarity. */
function Pips({ entry: { kind, rarities } }: { readonly entry: SpeciesEntry }) {
  if (kind === 'crab') return <p class="pips quiet">Crab</p>
  return (
    <ul class="pips">
      {RAREST_FIRST.map((rarity) => {
        const caught = rarities.find((one) => one.rarity === rarity)
        if (!caught) {
          return (
            <li key={rarity} aria-hidden="true" title={`${rarity}: not caught`}>
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

function Moment({ time }: { readonly time: string }) {
  const formats = useFormats()
  return (
    <time dateTime={time} title={formats.moment(time)}>
      {formats.date(time)}
    </time>
  )
}

const TableChunk = memo(({ entries, fresh, link }: ChunkProps) => {
  return (
    <tbody>
      {entries.map((entry) => (
        <tr key={entry.key} class={tintOf(entry.rarity)}>
          <th scope="row">
            <Creature kind={entry.kind} name={entry.name} rarity={entry.rarity} />
            <LinkedName entry={entry} link={link} />
            {fresh.has(entry.key) && <span class="new">New</span>}
          </th>
          <td class="number">{formatNumber(entry.count)}</td>
          <td>
            <Pips entry={entry} />
          </td>
          <td>{entry.firstCaughtAt !== undefined && <Moment time={entry.firstCaughtAt} />}</td>
          <td>{entry.lastCaughtAt !== undefined && <Moment time={entry.lastCaughtAt} />}</td>
        </tr>
      ))}
    </tbody>
  )
}, areSame)
