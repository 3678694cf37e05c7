import type { Gamemode } from '@fish-crab/sdk/constants'
import { useMemo } from 'preact/hooks'
import { playerPath, setupPath } from '../../data/address.ts'
import { type BookEntry, type BookOptions, rarestOf } from '../../data/book.ts'
import { type Cabinet, collectionOf, latestCatchOf } from '../../data/cabinet.ts'
import { publicUrl } from '../../data/site.ts'
import { Creature, tintOf } from '../../parts/creature.tsx'
import { formatDate, formatDateTime, formatNumber } from '../../parts/format.ts'
import { ShareButton } from '../../parts/share-button.tsx'
import { Compare } from './compare.tsx'

interface HeadProps {
  readonly cabinet: Cabinet
  /** The species of all gamemodes. */
  readonly book: readonly BookEntry[]
  readonly gamemode: Gamemode | undefined
  readonly options: BookOptions
  readonly isDemo: boolean
}

const DISPLAYED = 3

/** An overview of the player: the name, the emblem, the rarest catches and the totals. */
export function Head({ cabinet, book, gamemode, options, isDemo }: HeadProps) {
  const { user } = cabinet
  const rarest = useMemo(() => rarestOf(book, DISPLAYED), [book])
  return (
    <section class={isDemo ? 'cabinet brief' : 'cabinet'} aria-label="Collection">
      <Emblem user={user} rarest={rarest[0]} />
      <div class="who">
        <h1>{isDemo ? 'Demo collection' : user}</h1>
        {isDemo ? <p>These catches are made up, to show what a collection looks like.</p> : null}
        <Figures cabinet={cabinet} />
        <Dates cabinet={cabinet} />
      </div>
      {rarest.length > 0 && (
        <ol class="showcase" aria-label="Rarest catches">
          {rarest.map(({ key, kind, name, rarity }) => (
            <li key={key} class={`display ${tintOf(rarity)}`} title={name}>
              <Creature kind={kind} name={name} rarity={rarity} />
              <span class="display-name">{name}</span>
              <span class="display-rarity">{rarity ?? 'Crab'}</span>
            </li>
          ))}
        </ol>
      )}
      {!isDemo && (
        <div class="actions">
          <ShareButton
            title={`The collection of ${user}`}
            url={new URL(playerPath(user, gamemode, options), publicUrl()).href}
          />
          <Compare user={user} />
          <a class="button" href={setupPath(user, gamemode)}>
            Overlay
          </a>
        </div>
      )}
    </section>
  )
}

interface EmblemProps {
  readonly user: string
  readonly rarest: BookEntry | undefined
}

/** A fish that is drawn from the player's name, in the colours of the player's rarest catch. */
export function Emblem({ user, rarest }: EmblemProps) {
  const rarity = rarest?.rarity ?? 'Unknown/Other'
  return (
    <div class={`emblem ${tintOf(rarest ? rarest.rarity : rarity)}`}>
      <Creature kind="fish" name={user} rarity={rarity} />
    </div>
  )
}

function Figures({ cabinet }: { readonly cabinet: Cabinet }) {
  const { fish, crab } = useMemo(() => collectionOf(cabinet), [cabinet])
  const { current, longest } = cabinet.streak
  const figures = [
    { label: 'fish', value: fish.total },
    { label: crab.total === 1 ? 'crab' : 'crabs', value: crab.total },
    ...(fish.isPartial || crab.isPartial ? [] : [{ label: 'species', value: fish.unique + crab.unique }]),
    ...(longest > 1
      ? [{ label: current > 1 ? 'days in a row' : 'days, longest streak', value: current > 1 ? current : longest }]
      : []),
  ]
  return (
    <ul class={figures.length > 3 ? 'figures four' : 'figures'}>
      {figures.map(({ label, value }) => (
        <li key={label}>
          <strong>{formatNumber(value)}</strong> {label}
        </li>
      ))}
    </ul>
  )
}

function Dates({ cabinet }: { readonly cabinet: Cabinet }) {
  const { days } = cabinet
  const latest = useMemo(() => latestCatchOf(collectionOf(cabinet)), [cabinet])
  const first = days[0]?.day
  if (latest === undefined || first === undefined) return null
  return (
    <p class="since">
      Since <time dateTime={first}>{formatDate(`${first}T00:00`)}</time> · last catch{' '}
      <time dateTime={latest}>{formatDateTime(latest)}</time>
    </p>
  )
}
