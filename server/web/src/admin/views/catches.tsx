import type { RarityLabel } from '@fish-crab/sdk'
import type { UserDetails } from '@fish-crab/sdk/admin'
import { RARITIES } from '@fish-crab/sdk/constants'
import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import { Creature, tintOf } from '../../parts/creature.tsx'
import { formatDateTime, formatNumber, plural } from '../../parts/format.ts'
import { fragmentOf, type View } from '../data/location.ts'
import {
  addEntries,
  type CatchRecord,
  type Entry,
  filterRecords,
  keepEntries,
  loadRecords,
  moveRecord,
  type Place,
  type StoredEntry,
} from '../data/records.ts'
import { keyOfCatch } from '../data/removals.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { LoadNotice, useLoad } from '../parts/load.tsx'
import { replaceView, usePage } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'

/** Number of records, or of entries of one record, to draw at once. */
const CHUNK = 50
/** Number of entries that a record shows before it opens. */
const PREVIEW = 4

const KINDS = [
  ['fish', 'Fish'],
  ['crab', 'Crabs'],
] as const
const RARITY_OPTIONS = RARITIES.map(({ label }) => [label, label] as const)

type PlayerView = Extract<View, { readonly name: 'player' }>
type Task = { readonly name: 'add' } | { readonly name: 'remove' | 'move'; readonly record: CatchRecord }

interface CatchesProps {
  readonly view: PlayerView
  readonly user: UserDetails
  /** Called after each change. */
  readonly onChange: () => void
}

/**
 * The catches of a player of one kind and gamemode, newest first. The defaults are the kind and gamemode of the latest
 * catch.
 */
export function Catches({ view, user, onChange }: CatchesProps) {
  const { request, gamemodes, removals, hidden } = usePage()
  const { filter } = view
  const { lastCatch, name: player } = user
  const kind = view.kind ?? (view.gamemode === undefined ? lastCatch?.kind : undefined) ?? 'fish'
  const gamemode = view.gamemode ?? lastCatch?.gamemode ?? gamemodes[0]
  useEffect(() => {
    // Fix the defaults in the address, so that a new latest catch does not change the view.
    if (view.gamemode === undefined) replaceView({ name: 'player', player, kind, gamemode, filter })
  }, [view.gamemode, player, kind, gamemode, filter])
  const [visible, setVisible] = useState(CHUNK)
  const [task, setTask] = useState<Task>()
  const id = useId()
  const place: Place = { player, kind, gamemode }
  const records = useLoad(`catches ${player} ${kind} ${gamemode}`, () =>
    request((client) => loadRecords(client, place)),
  )
  const { content } = records
  const plurals = kind === 'fish' ? 'fish' : 'crabs'
  const choose = (next: Partial<PlayerView>) => {
    setVisible(CHUNK)
    replaceView({ name: 'player', ...place, filter, ...next })
  }
  const close = () => setTask(undefined)
  const reload = () => {
    records.reload()
    onChange()
  }
  const existing = useMemo(
    () =>
      keepEntries(
        content ?? [],
        ({ entry }, { id: record }) =>
          !hidden.has(keyOfCatch(player, record)) && !hidden.has(keyOfCatch(player, record, entry)),
      ),
    [content, hidden, player],
  )
  const found = useMemo(() => filterRecords(existing, filter), [existing, filter])
  const whole = useMemo(() => new Map(existing.map((record) => [record.id, record])), [existing])
  const [count, total] = [countEntries(found), countEntries(existing)]
  const find = (next: Partial<PlayerView['filter']>) => choose({ filter: { ...filter, ...next } })
  const remove = (record: CatchRecord, entry?: StoredEntry) =>
    removals.remove({
      ...place,
      id: record.id,
      entry: entry?.entry,
      what: entry?.name ?? describeRecord(record),
      onEnd: reload,
    })
  return (
    <section class="catches" aria-labelledby={id}>
      <h2 id={id}>Catches</h2>
      <div class="toolbar">
        <Choice
          label="Show"
          value={kind}
          options={KINDS}
          onChange={(value) => choose({ kind: value, filter: { ...filter, rarity: undefined } })}
        />
        <Choice
          label="Gamemode"
          value={gamemode}
          options={gamemodes.map((one) => [one, one] as const)}
          onChange={(value) => choose({ gamemode: value })}
        />
        <button type="button" class="primary" onClick={() => setTask({ name: 'add' })}>
          Add a catch
        </button>
      </div>
      <search class="toolbar">
        <SearchField label="Find a species" value={filter.text} maxLength={100} onSearch={(text) => find({ text })} />
        {kind === 'fish' && (
          <Choice
            label="Rarity"
            value={filter.rarity ?? ''}
            options={[['', 'All'], ...RARITY_OPTIONS]}
            onChange={(value) => find({ rarity: value === '' ? undefined : value })}
          />
        )}
        <Field name="day" label="Day" type="date" value={filter.day} onInput={(day) => find({ day })} />
      </search>
      <LoadNotice loaded={records} what="the catches" />
      {content && (
        <p class="found" role="status">
          {total === 0
            ? `No ${plurals} in ${gamemode}`
            : count === total
              ? `${plural(total, kind, plurals)}, newest first`
              : `${formatNumber(count)} of ${plural(total, kind, plurals)}`}
        </p>
      )}
      {found.length > 0 && (
        <ul class="records panel" key={fragmentOf(view)}>
          {found.slice(0, visible).map(({ id: record, entries }) => (
            <Record
              key={record}
              record={whole.get(record) as CatchRecord}
              entries={entries}
              onRemove={remove}
              onRemoveAll={(all) => setTask({ name: 'remove', record: all })}
              onMove={(all) => setTask({ name: 'move', record: all })}
            />
          ))}
        </ul>
      )}
      {found.length > visible && <ShowMore count={found.length - visible} onShow={() => setVisible(visible + CHUNK)} />}
      {task?.name === 'add' && <AddCatch place={place} onDone={reload} onClose={close} />}
      {task?.name === 'remove' && (
        <RemoveCatches record={task.record} onRemove={() => remove(task.record)} onClose={close} />
      )}
      {task?.name === 'move' && <MoveCatches place={place} record={task.record} onDone={reload} onClose={close} />}
    </section>
  )
}

function countEntries(records: readonly CatchRecord[]): number {
  return records.reduce((sum, { entries }) => sum + entries.length, 0)
}

interface ShowMoreProps {
  readonly count: number
  /** The list that continues. @default the list of records */
  readonly what?: string
  readonly onShow: () => void
}

function ShowMore({ count, what, onShow }: ShowMoreProps) {
  const text = `Show ${formatNumber(Math.min(CHUNK, count))} more${count > CHUNK ? ` of ${formatNumber(count)}` : ''}`
  return (
    <p class="more">
      <button type="button" aria-label={what && `${text}: ${what}`} onClick={onShow}>
        {text}
      </button>
    </p>
  )
}

interface RecordProps {
  readonly record: CatchRecord
  /** The entries that match the filter. */
  readonly entries: readonly StoredEntry[]
  readonly onRemove: (record: CatchRecord, entry: StoredEntry) => void
  readonly onRemoveAll: (record: CatchRecord) => void
  readonly onMove: (record: CatchRecord) => void
}

function Record({ record, entries, onRemove, onRemoveAll, onMove }: RecordProps) {
  const [visible, setVisible] = useState(PREVIEW)
  const what = describeRecord(record)
  const count = record.entries.length
  return (
    <li class="record">
      <ul class="entries">
        {entries.slice(0, visible).map((entry, index) => (
          <li key={entry.entry ?? index} class={tintOf(entry.rarity)}>
            <Creature kind={entry.rarity === undefined ? 'crab' : 'fish'} name={entry.name} rarity={entry.rarity} />
            <span class="entry">
              <strong>{entry.name}</strong>
              {entry.rarity !== undefined && <span class="card-rarity"> {entry.rarity}</span>}{' '}
              <time class="quiet" dateTime={entry.caughtAt}>
                {formatDateTime(entry.caughtAt)}
              </time>
            </span>
            {count > 1 && entry.entry !== undefined && (
              <button
                type="button"
                class="danger"
                aria-label={`Remove ${entry.name}`}
                onClick={() => onRemove(record, entry)}
              >
                Remove
              </button>
            )}
          </li>
        ))}
        {entries.length > visible && (
          <li>
            <ShowMore count={entries.length - visible} what={what} onShow={() => setVisible(visible + CHUNK)} />
          </li>
        )}
        {count > 1 && (
          <li class="hint">{plural(count, 'catch', 'catches')}, which were stored together, and move together</li>
        )}
      </ul>
      <div class="actions">
        <button type="button" aria-label={`Move ${what}`} onClick={() => onMove(record)}>
          Move
        </button>
        {count > 1 ? (
          <button type="button" class="danger" aria-label={`Remove all: ${what}`} onClick={() => onRemoveAll(record)}>
            Remove all
          </button>
        ) : (
          <button
            type="button"
            class="danger"
            aria-label={`Remove ${what}`}
            onClick={() => onRemove(record, entries[0] as StoredEntry)}
          >
            Remove
          </button>
        )}
      </div>
    </li>
  )
}

/**
 * @example describeRecord({ id, entries: [{ name: 'Salmon', caughtAt }, { name: 'Koi', caughtAt }] }) // 'Salmon and 1 more'
 */
function describeRecord({ entries }: CatchRecord): string {
  const [first] = entries
  return entries.length > 1 ? `${first?.name} and ${formatNumber(entries.length - 1)} more` : (first?.name ?? '')
}

interface TaskProps {
  readonly place: Place
  readonly onDone: () => void
  readonly onClose: () => void
}

function AddCatch({ place, onDone, onClose }: TaskProps) {
  const { request, announce } = usePage()
  const { player, kind, gamemode } = place
  return (
    <Dialog title={`Add a ${kind} for ${player} in ${gamemode}`} onEscape={onClose}>
      <Form
        submit="Add"
        busy="Adding…"
        check={({ name = '', caughtAt = '' }) => ({
          name: name.trim() === '' ? `Enter the name of the ${kind}.` : undefined,
          caughtAt: caughtAt !== '' && Number.isNaN(Date.parse(caughtAt)) ? 'Enter a date and a time.' : undefined,
        })}
        ifUnknown="Check the list before you add it again."
        onSubmit={async ({ name = '', rarity, caughtAt = '' }) => {
          const entry: Entry = {
            name: name.trim(),
            rarity: rarity as RarityLabel | undefined,
            caughtAt: caughtAt === '' ? '' : new Date(caughtAt).toISOString(),
          }
          await request((client) => addEntries(client, place, [entry]))
          onClose()
          onDone()
          announce(`Added ${entry.name} for ${player}.`)
        }}
        onCancel={onClose}
      >
        <Field name="name" label="Name" maxLength={100} isFirst />
        {kind === 'fish' && <Choice name="rarity" label="Rarity" value="Bronze" options={RARITY_OPTIONS} />}
        <Field
          name="caughtAt"
          label="Caught"
          type="datetime-local"
          hint="Use your time zone. If empty, the current time is stored."
        />
      </Form>
    </Dialog>
  )
}

interface RecordTaskProps extends TaskProps {
  readonly record: CatchRecord
}

interface RemoveProps {
  readonly record: CatchRecord
  readonly onRemove: () => void
  readonly onClose: () => void
}

function RemoveCatches({ record, onRemove, onClose }: RemoveProps) {
  const count = formatNumber(record.entries.length)
  return (
    <Dialog title={`Remove ${describeRecord(record)}`} onEscape={onClose}>
      <p>This removes {count} catches, which were stored together. You can undo it for ten seconds.</p>
      <Form
        submit={`Remove ${count} catches`}
        busy="Removing…"
        isDangerous
        onSubmit={async () => {
          onClose()
          onRemove()
        }}
        onCancel={onClose}
      />
    </Dialog>
  )
}

function MoveCatches({ place, record, onDone, onClose }: RecordTaskProps) {
  const { request, announce, gamemodes, removals } = usePage()
  const what = describeRecord(record)
  const { player, gamemode } = place
  const targets = gamemodes.filter((other) => other !== gamemode).map((other) => [other, other] as const)
  return (
    <Dialog title={`Move ${what}`} onEscape={onClose}>
      <p>
        {record.entries.length > 1
          ? `This moves ${formatNumber(record.entries.length)} catches of ${player}, which were stored together. They keep their times.`
          : `This moves a catch of ${player}. It keeps its time.`}
      </p>
      <Form
        submit="Move"
        busy="Moving…"
        ifUnknown="Check both lists before you try again."
        onSubmit={async ({ gamemode: to = '' }) => {
          // A removal that is not sent yet names the old gamemode.
          await removals.flush()
          await request((client) => moveRecord(client, place, record.id, to))
          onClose()
          onDone()
          announce(`Moved ${what} to ${to}.`)
        }}
        onCancel={onClose}
      >
        <Choice name="gamemode" label="To gamemode" value={targets[0]?.[0] ?? ''} options={targets} />
      </Form>
    </Dialog>
  )
}
