import type { RarityLabel } from '@fish-crab/sdk'
import type { UserDetails } from '@fish-crab/sdk/admin'
import { RARITIES } from '@fish-crab/sdk/constants'
import { useEffect, useId, useState } from 'preact/hooks'
import { Creature, tintOf } from '../../parts/creature.tsx'
import { formatDateTime, formatNumber, plural } from '../../parts/format.ts'
import type { View } from '../data/location.ts'
import {
  addEntries,
  type CatchRecord,
  type Entry,
  loadRecords,
  moveRecord,
  type Place,
  removeRecord,
} from '../data/records.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { LoadNotice, useLoad } from '../parts/load.tsx'
import { replaceView, usePage } from '../parts/page.tsx'

/** Number of records to draw at once. */
const CHUNK = 50
/** Maximum number of named entries per record. */
const NAMED = 4

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
  const { request, gamemodes } = usePage()
  const { lastCatch, name: player } = user
  const kind = view.kind ?? (view.gamemode === undefined ? lastCatch?.kind : undefined) ?? 'fish'
  const gamemode = view.gamemode ?? lastCatch?.gamemode ?? gamemodes[0]
  useEffect(() => {
    // Fix the defaults in the address, so that a new latest catch does not change the view.
    if (view.gamemode === undefined) replaceView({ name: 'player', player, kind, gamemode })
  }, [view.gamemode, player, kind, gamemode])
  const [shown, setShown] = useState(CHUNK)
  const [task, setTask] = useState<Task>()
  const id = useId()
  const place: Place = { player, kind, gamemode }
  const records = useLoad(`catches ${player} ${kind} ${gamemode}`, () =>
    request((client) => loadRecords(client, place)),
  )
  const { content } = records
  const choose = (next: Partial<PlayerView>) => {
    setShown(CHUNK)
    replaceView({ name: 'player', ...place, ...next })
  }
  const close = () => setTask(undefined)
  const reload = () => {
    records.reload()
    onChange()
  }
  const entries = content?.reduce((sum, record) => sum + record.entries.length, 0) ?? 0
  return (
    <section class="catches" aria-labelledby={id}>
      <h2 id={id}>Catches</h2>
      <div class="toolbar">
        <Choice label="Show" value={kind} options={KINDS} onChange={(value) => choose({ kind: value })} />
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
      <LoadNotice loaded={records} what="the catches" />
      {content && (
        <p class="found" role="status">
          {content.length === 0
            ? `No ${kind === 'fish' ? 'fish' : 'crabs'} in ${gamemode}`
            : `${plural(entries, kind, kind === 'fish' ? 'fish' : 'crabs')}, newest first`}
        </p>
      )}
      {content && content.length > 0 && (
        <ul class="records panel">
          {content.slice(0, shown).map((record) => (
            <Record
              key={record.id}
              record={record}
              onRemove={() => setTask({ name: 'remove', record })}
              onMove={() => setTask({ name: 'move', record })}
            />
          ))}
        </ul>
      )}
      {content && content.length > shown && (
        <p class="more">
          <button type="button" onClick={() => setShown(shown + CHUNK)}>
            Show {formatNumber(Math.min(CHUNK, content.length - shown))} more of {formatNumber(content.length - shown)}
          </button>
        </p>
      )}
      {task?.name === 'add' && <AddCatch place={place} onDone={reload} onClose={close} />}
      {task?.name === 'remove' && <RemoveCatches place={place} record={task.record} onDone={reload} onClose={close} />}
      {task?.name === 'move' && <MoveCatches place={place} record={task.record} onDone={reload} onClose={close} />}
    </section>
  )
}

interface RecordProps {
  readonly record: CatchRecord
  readonly onRemove: () => void
  readonly onMove: () => void
}

function Record({ record, onRemove, onMove }: RecordProps) {
  const { entries } = record
  const what = describeRecord(record)
  return (
    <li class="record">
      <ul class="entries">
        {entries.slice(0, NAMED).map((entry, index) => (
          <li key={index} class={tintOf(entry.rarity)}>
            <Creature kind={entry.rarity === undefined ? 'crab' : 'fish'} name={entry.name} rarity={entry.rarity} />
            <span>
              <strong>{entry.name}</strong>
              {entry.rarity !== undefined && <span class="card-rarity"> {entry.rarity}</span>}{' '}
              <time class="quiet" dateTime={entry.caughtAt}>
                {formatDateTime(entry.caughtAt)}
              </time>
            </span>
          </li>
        ))}
        {entries.length > NAMED && <li class="quiet">and {formatNumber(entries.length - NAMED)} more</li>}
        {entries.length > 1 && <li class="hint">They were stored together, and move together</li>}
      </ul>
      <div class="actions">
        <button type="button" aria-label={`Move ${what}`} onClick={onMove}>
          Move
        </button>
        <button type="button" class="danger" aria-label={`Remove ${what}`} onClick={onRemove}>
          Remove
        </button>
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

function RemoveCatches({ place, record, onDone, onClose }: RecordTaskProps) {
  const { request, announce } = usePage()
  const what = describeRecord(record)
  const count = record.entries.length
  return (
    <Dialog title={`Remove ${what}`} onEscape={onClose}>
      <p>
        {count > 1
          ? `This removes ${formatNumber(count)} catches, which were stored together.`
          : `This removes a catch of ${place.player} in ${place.gamemode}.`}{' '}
        It cannot be undone.
      </p>
      <Form
        submit={count > 1 ? `Remove ${formatNumber(count)} catches` : 'Remove'}
        busy="Removing…"
        isDangerous
        ifUnknown="Check the list before you try again."
        onSubmit={async () => {
          await request((client) => removeRecord(client, place, record.id))
          onClose()
          onDone()
          announce(`Removed ${what}.`)
        }}
        onCancel={onClose}
      />
    </Dialog>
  )
}

function MoveCatches({ place, record, onDone, onClose }: RecordTaskProps) {
  const { request, announce, gamemodes } = usePage()
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
