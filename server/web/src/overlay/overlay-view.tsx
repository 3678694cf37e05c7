import type { RarityLabel } from '@fish-crab/sdk'
import { RARITIES } from '@fish-crab/sdk/constants'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { OverlayOptions } from '../data/overlay-options.ts'
import type { Collection } from '../data/profile.ts'
import { Creature, tintOf } from '../parts/creature.tsx'
import { formatNumber } from '../parts/format.ts'
import { catchesTexts } from '../texts/catches.ts'
import { overlayTexts as texts } from '../texts/overlay.ts'
import { type Item, loudness, rarestOf } from './feed.ts'
import type { GoalCount } from './goal.ts'
import type { Session } from './session.ts'
import type { Shown } from './shown.ts'
import './overlay.css'

interface OverlayViewProps {
  readonly options: OverlayOptions
  readonly shown: Shown
  /** Reasons why the overlay shows nothing, nothing new, or something else than its address says. @default none */
  readonly notes?: readonly ComponentChildren[]
}

/** The overlay as viewers of a stream see it. */
export function OverlayView({
  options,
  shown: { collection, items, alerts, session, goal },
  notes = [],
}: OverlayViewProps) {
  const { mode, corner, size, theme } = options
  return (
    <div class={`overlay ${theme} ${corner} ${size}`}>
      {mode === 'feed' && <Feed options={options} collection={collection} items={items} />}
      {mode === 'alert' && alerts.current && <Alert key={alerts.current.key} item={alerts.current} />}
      {mode === 'session' && collection && <SessionTotals kind={options.kind} session={session} />}
      {mode === 'goal' && goal && <Goal options={options} goal={goal} />}
      {notes.map((note, index) => (
        <p key={index} class="note">
          {note}
        </p>
      ))}
    </div>
  )
}

interface FeedProps {
  readonly options: OverlayOptions
  /** Absent until the first load. */
  readonly collection: Collection | undefined
  readonly items: readonly Item[]
}

function Feed({ options: { kind, parts }, collection, items }: FeedProps) {
  const rarest = useMemo(() => collection && rarestOf(collection), [collection])
  return (
    <>
      {parts.includes('last') && (
        <ul class="feed" aria-label={texts.last}>
          {items.map(({ key, kind, name, rarity, count, isNew }) => (
            <li key={key} class={`caught ${tintOf(rarity)} ${loudness({ rarity })} ${isNew ? 'enters' : ''}`}>
              <Creature kind={kind} name={name} rarity={rarity} />
              <span class="caught-name">{name}</span>
              {count > 1 && <span class="caught-count">{catchesTexts.times(count)}</span>}
              <span class="caught-rarity">{rarity ?? catchesTexts.crab}</span>
            </li>
          ))}
        </ul>
      )}
      {rarest && kind !== 'crab' && parts.includes('rarest') && <Rarest {...rarest} kind="fish" label={texts.rarest} />}
      {parts.includes('total') && collection && <Totals collection={collection} kind={kind} />}
    </>
  )
}

interface RarestProps extends Pick<Item, 'kind' | 'name' | 'rarity'> {
  readonly label: string
}

function Rarest({ kind, name, rarity, label }: RarestProps) {
  return (
    <p class={`rarest-catch ${tintOf(rarity)}`}>
      <span class="label">{label}</span>
      <Creature kind={kind} name={name} rarity={rarity} />
      <span class="caught-name">{name}</span>
      <span class="caught-rarity">{rarity}</span>
    </p>
  )
}

interface TotalsProps extends Pick<OverlayOptions, 'kind'> {
  readonly collection: Collection
}

function Totals({ collection: { fish, crab }, kind }: TotalsProps) {
  const summaries = [...(kind === 'crab' ? [] : [fish]), ...(kind === 'fish' ? [] : [crab])]
  const unique = summaries.reduce((sum, one) => sum + (one.unique ?? Number.NaN), 0)
  return (
    <p class="all">
      {kind !== 'crab' && <span>{texts.fish(fish.total)}</span>}
      {kind !== 'fish' && <span>{texts.crabs(crab.total)}</span>}
      {unique >= 0 && <span>{texts.species(unique)}</span>}
    </p>
  )
}

function Alert({ item: { kind, name, rarity, count } }: { readonly item: Item }) {
  return (
    <div class={`alert ${tintOf(rarity)} ${loudness({ rarity })}`} role="status">
      <Creature kind={kind} name={name} rarity={rarity} />
      <span class="cry">{cryOf(rarity)}</span>
      <span class="caught-name">
        {name}
        {count > 1 && <span class="caught-count"> {catchesTexts.times(count)}</span>}
      </span>
      <span class="caught-rarity">{rarity ?? catchesTexts.crab}</span>
    </div>
  )
}

/** Returns the exclamation with which the game's chat announces a catch of this rarity. */
function cryOf(rarity: RarityLabel | undefined): string {
  const { catchWord = null } = RARITIES.find(({ label }) => label === rarity) ?? {}
  return texts.cry(catchWord)
}

interface SessionTotalsProps extends Pick<OverlayOptions, 'kind'> {
  readonly session: Session
}

function SessionTotals({ kind, session: { fish, crab, newSpecies, rarest } }: SessionTotalsProps) {
  const { labels } = catchesTexts
  return (
    <>
      <div class="session">
        <p class="label">{texts.session}</p>
        <ul class="counts">
          {kind !== 'crab' && <Count value={fish} label={labels.fish()} />}
          {kind !== 'fish' && <Count value={crab} label={labels.crab(crab)} />}
          <Count value={newSpecies.size} label={labels.newSpecies()} />
        </ul>
      </div>
      {rarest && <Rarest {...rarest} label={texts.rarest} />}
    </>
  )
}

interface CountProps {
  readonly value: number
  readonly label: string
}

function Count({ value, label }: CountProps) {
  return (
    <li>
      {/* The key creates a new element for each value, so that changes are animated. */}
      <span key={value} class="counted">
        {formatNumber(value)}
      </span>{' '}
      {label}
    </li>
  )
}

interface GoalProps {
  readonly options: Pick<OverlayOptions, 'kind' | 'rarity' | 'goal'>
  readonly goal: GoalCount
}

function Goal({ options: { kind, rarity, goal: target }, goal: { count } }: GoalProps) {
  const text = texts.goal(count, target, rarity ?? texts.goals[kind ?? 'all'])
  return (
    <div class={`goal ${rarity ? tintOf(rarity) : 'any'} ${count >= target ? 'reached' : ''}`}>
      <p key={count} class="goal-text">
        {text}
        {count >= target && <span class="goal-reached"> {texts.reached}</span>}
      </p>
      <progress max={target} value={Math.min(count, target)} aria-label={text} />
    </div>
  )
}
