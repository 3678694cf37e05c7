import type { RarityLabel } from '@fish-crab/sdk'
import { memo } from 'preact/compat'
import { useId, useMemo, useState } from 'preact/hooks'
import { inOrder, matching, ORDERS, type Order, type Row } from '../data/list.ts'
import { readPreference, savePreference } from '../data/preferences.ts'
import type { Kind } from '../data/summary.ts'
import { Drawing, shapeOf } from '../parts/drawings.tsx'
import { formatDate, formatMoment, formatNumber, plural } from '../parts/format.ts'
import { TableScroll } from './table-scroll.tsx'

/** Rows that are drawn at once: thousands would stop the page for a moment. */
const CHUNK = 60
const VIEW = 'fish-crab-view'

interface SpeciesListProps {
  readonly rows: readonly Row[]
  /** Keys of what the last update added. */
  readonly fresh: ReadonlySet<string>
  readonly rarity: RarityLabel | undefined
  readonly onRarity: (rarity: RarityLabel | undefined) => void
  /** Sample collections have no times. */
  readonly hasTimes: boolean
}

/** All species: searched, sorted, as cards or as a table. */
export function SpeciesList({ rows, fresh, rarity, onRarity, hasTimes }: SpeciesListProps) {
  const [text, setText] = useState('')
  const [kind, setKind] = useState<Kind>()
  const [order, setOrder] = useState<Order>('count')
  const [isTable, setTable] = useState(() => readPreference(VIEW) === 'table')
  const [shown, setShown] = useState(CHUNK)
  const id = useId()

  const ordered = useMemo(() => inOrder(rows, order), [rows, order])
  const found = useMemo(() => matching(ordered, { text, kind, rarity }), [ordered, text, kind, rarity])
  const visible = found.slice(0, shown)
  const chunks = Array.from({ length: Math.ceil(visible.length / CHUNK) }, (_, index) =>
    visible.slice(index * CHUNK, (index + 1) * CHUNK),
  )

  function choose(change: () => void): void {
    change()
    setShown(CHUNK)
  }

  function chooseView(table: boolean): void {
    choose(() => setTable(table))
    savePreference(VIEW, table ? 'table' : 'cards')
  }

  const hasCrabs = rows.some((row) => row.kind === 'crab')
  return (
    <section class="species" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Species by rarity</h2>
      <div class="toolbar">
        <div class="control grows">
          <label for={`${id}-text`}>Search</label>
          <input
            id={`${id}-text`}
            type="search"
            placeholder="Salmon"
            onInput={({ currentTarget: { value } }) => choose(() => setText(value))}
          />
        </div>
        {hasCrabs && (
          <div class="control">
            <label for={`${id}-kind`}>Show</label>
            <select
              id={`${id}-kind`}
              onChange={({ currentTarget: { value } }) =>
                choose(() => setKind(value === '' ? undefined : (value as Kind)))
              }
            >
              <option value="">Fish and crabs</option>
              <option value="fish">Fish</option>
              <option value="crab">Crabs</option>
            </select>
          </div>
        )}
        <div class="control">
          <label for={`${id}-order`}>Sort by</label>
          <select
            id={`${id}-order`}
            value={order}
            onChange={({ currentTarget: { value } }) => choose(() => setOrder(value as Order))}
          >
            {(Object.keys(ORDERS) as Order[])
              .filter((one) => hasTimes || (one !== 'first' && one !== 'last'))
              .map((one) => (
                <option key={one} value={one}>
                  {ORDERS[one]}
                </option>
              ))}
          </select>
        </div>
        <fieldset class="control">
          <legend>View as</legend>
          <div class="segments">
            <button type="button" aria-pressed={!isTable} onClick={() => chooseView(false)}>
              Cards
            </button>
            <button type="button" aria-pressed={isTable} onClick={() => chooseView(true)}>
              Table
            </button>
          </div>
        </fieldset>
      </div>
      <p class="found" role="status">
        {found.length === rows.length
          ? plural(found.length, 'entry', 'entries')
          : `${formatNumber(found.length)} of ${plural(rows.length, 'entry', 'entries')}`}
        {rarity !== undefined && (
          <button type="button" class="chip" onClick={() => choose(() => onRarity(undefined))}>
            {rarity} only <span aria-hidden="true">×</span>
            <span class="visually-hidden">, show all rarities</span>
          </button>
        )}
      </p>
      {found.length === 0 ? (
        <p class="quiet">Nothing matches.</p>
      ) : isTable ? (
        <TableScroll label="Species by rarity as a table" isPanel>
          <table class="species-table">
            <thead>
              <tr>
                <th scope="col">Species</th>
                <th scope="col" class="number">
                  Count
                </th>
                <th scope="col">Rarity</th>
                {hasTimes && <th scope="col">First caught</th>}
                {hasTimes && <th scope="col">Last caught</th>}
              </tr>
            </thead>
            {chunks.map((chunk, index) => (
              <TableChunk key={index} rows={chunk} fresh={fresh} hasTimes={hasTimes} />
            ))}
          </table>
        </TableScroll>
      ) : (
        chunks.map((chunk, index) => <CardChunk key={index} rows={chunk} fresh={fresh} />)
      )}
      {visible.length < found.length && (
        <p class="more">
          <button type="button" onClick={() => setShown(shown + CHUNK)}>
            Show {formatNumber(Math.min(CHUNK, found.length - visible.length))} more of{' '}
            {formatNumber(found.length - visible.length)}
          </button>
        </p>
      )}
    </section>
  )
}

interface ChunkProps {
  readonly rows: readonly Row[]
  readonly fresh: ReadonlySet<string>
}

const areSame = (one: ChunkProps, other: ChunkProps) =>
  one.fresh === other.fresh &&
  one.rows.length === other.rows.length &&
  one.rows.every((row, index) => row === other.rows[index])

const CardChunk = memo(({ rows, fresh }: ChunkProps) => {
  return (
    <ul class="cards">
      {rows.map((row) => (
        <li key={row.key} class={`card ${shapeOf(row.rarity)}`}>
          <Drawing shape={shapeOf(row.rarity)} />
          <div class="card-text">
            <p class="card-name">
              {row.name}
              {fresh.has(row.key) && <span class="new">New</span>}
            </p>
            <p class="card-rarity">{row.kind === 'crab' ? 'Crab' : row.rarity}</p>
            <p class="card-count">
              <span aria-hidden="true">×</span>
              {formatNumber(row.count)}
              <span class="visually-hidden"> caught</span>
            </p>
            {row.firstCaughtAt !== undefined && row.lastCaughtAt !== undefined && (
              <p class="card-times">
                <Dates first={row.firstCaughtAt} last={row.lastCaughtAt} />
              </p>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}, areSame)

function Moment({ time }: { readonly time: string }) {
  return (
    <time dateTime={time} title={formatMoment(time)}>
      {formatDate(time)}
    </time>
  )
}

function Dates({ first, last }: { readonly first: string; readonly last: string }) {
  if (first === last || formatDate(first) === formatDate(last)) return <Moment time={last} />
  return (
    <>
      <span>
        first <Moment time={first} />
      </span>{' '}
      <span>
        last <Moment time={last} />
      </span>
    </>
  )
}

interface TableChunkProps extends ChunkProps {
  readonly hasTimes: boolean
}

const TableChunk = memo(({ rows, fresh, hasTimes }: TableChunkProps) => {
  return (
    <tbody>
      {rows.map((row) => (
        <tr key={row.key} class={shapeOf(row.rarity)}>
          <th scope="row">
            <Drawing shape={shapeOf(row.rarity)} />
            {row.name}
            {fresh.has(row.key) && <span class="new">New</span>}
          </th>
          <td class="number">{formatNumber(row.count)}</td>
          <td>{row.kind === 'crab' ? 'Crab' : row.rarity}</td>
          {hasTimes && <td>{row.firstCaughtAt !== undefined && <Moment time={row.firstCaughtAt} />}</td>}
          {hasTimes && <td>{row.lastCaughtAt !== undefined && <Moment time={row.lastCaughtAt} />}</td>}
        </tr>
      ))}
    </tbody>
  )
}, areSame)
