import type { Collection } from '../data/cabinet.ts'
import type { OverlayOptions } from '../data/overlay-options.ts'
import { Creature, tintOf } from '../parts/creature.tsx'
import { formatNumber, plural } from '../parts/format.ts'
import { type Item, loudness, rarestOf } from './feed.ts'
import './overlay.css'

interface OverlayViewProps {
  readonly options: OverlayOptions
  /** Absent until it was loaded once. */
  readonly collection: Collection | undefined
  readonly items: readonly Item[]
  /** Why nothing is shown, or nothing new. */
  readonly note?: string | undefined
}

/** The overlay as streams show it. */
export function OverlayView({ options: { kind, parts, theme }, collection, items, note }: OverlayViewProps) {
  const rarest = parts.includes('rarest') && collection ? rarestOf(collection, kind) : undefined
  return (
    <div class={`overlay ${theme}`}>
      {parts.includes('last') && (
        <ul class="feed" aria-label="Last catches">
          {items.map(({ key, kind, name, rarity, count, isNew }) => (
            <li key={key} class={`caught ${tintOf(rarity)} ${loudness({ rarity })} ${isNew ? 'enters' : ''}`}>
              <Creature kind={kind} name={name} rarity={rarity} />
              <span class="caught-name">{name}</span>
              {count > 1 && <span class="caught-count">×{formatNumber(count)}</span>}
              <span class="caught-rarity">{rarity ?? 'Crab'}</span>
            </li>
          ))}
        </ul>
      )}
      {rarest && (
        <p class={`rarest-catch ${tintOf(rarest.rarity)}`}>
          <span class="label">Rarest</span>
          <Creature kind={rarest.kind} name={rarest.name} rarity={rarest.rarity} />
          <span class="caught-name">{rarest.name}</span>
          <span class="caught-rarity">{rarest.rarity}</span>
        </p>
      )}
      {parts.includes('total') && collection && <Totals collection={collection} kind={kind} />}
      {note !== undefined && <p class="note">{note}</p>}
    </div>
  )
}

function Totals({ collection: { fish, crab }, kind }: Pick<OverlayOptions, 'kind'> & { collection: Collection }) {
  const unique = (kind === 'crab' ? 0 : fish.unique) + (kind === 'fish' ? 0 : crab.unique)
  return (
    <p class="all">
      {kind !== 'crab' && <span>{formatNumber(fish.total)} fish</span>}
      {kind !== 'fish' && <span>{plural(crab.total, 'crab')}</span>}
      <span>{plural(unique, 'species', 'species')}</span>
    </p>
  )
}
