import type { OverlayOptions } from '../data/overlay-options.ts'
import type { Collection } from '../data/summary.ts'
import { Drawing, Drawings, shapeOf } from '../parts/drawings.tsx'
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
      <Drawings />
      {parts.includes('last') && (
        <ul class="feed" aria-label="Last catches">
          {items.map(({ key, name, rarity, count, isNew }) => (
            <li key={key} class={`caught ${shapeOf(rarity)} ${loudness({ rarity })} ${isNew ? 'enters' : ''}`}>
              <Drawing shape={shapeOf(rarity)} />
              <span class="caught-name">{name}</span>
              {count > 1 && <span class="caught-count">×{formatNumber(count)}</span>}
              <span class="caught-rarity">{rarity ?? 'Crab'}</span>
            </li>
          ))}
        </ul>
      )}
      {rarest && (
        <p class={`rarest-catch ${shapeOf(rarest.rarity)}`}>
          <span class="label">Rarest</span>
          <Drawing shape={shapeOf(rarest.rarity)} />
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
