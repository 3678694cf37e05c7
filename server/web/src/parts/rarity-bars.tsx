import type { RarityLabel } from '@fish-crab/sdk'
import { max } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { RARITY_ORDER } from '../data/book.ts'
import { tintOf } from './creature.tsx'
import { formatNumber } from './format.ts'

/** What makes a bar a button. */
interface BarButton {
  readonly title: string
  readonly isPressed: boolean
  readonly onClick: () => void
}

interface RarityBarsProps {
  readonly counts: ReadonlyMap<RarityLabel, number>
  /** @default bars are not buttons */
  readonly buttonOf?: (rarity: RarityLabel, count: number) => BarButton
}

/** How many fish of each rarity, the rarest first. */
export function RarityBars({ counts, buttonOf }: RarityBarsProps) {
  const width = scaleLinear([0, Math.max(1, max(counts.values()) ?? 0)], [0, 100])
  return (
    <ul class="bars">
      {RARITY_ORDER.toReversed().map((rarity) => {
        const count = counts.get(rarity) ?? 0
        const name = `bar ${tintOf(rarity)}`
        const button = buttonOf?.(rarity, count)
        const content = (
          <>
            <span class="pip" aria-hidden="true" />
            <span class="bar-label">{rarity}</span>
            <span class="bar-track" aria-hidden="true">
              <span class="bar-fill" style={{ width: `${width(count)}%` }} />
            </span>
            <span class="bar-count">
              {formatNumber(count)}
              <span class="visually-hidden"> fish</span>
            </span>
          </>
        )
        return (
          <li key={rarity}>
            {button ? (
              <button
                type="button"
                class={name}
                aria-pressed={button.isPressed}
                disabled={count === 0}
                title={button.title}
                onClick={button.onClick}
              >
                {content}
              </button>
            ) : (
              <div class={name}>{content}</div>
            )}
          </li>
        )
      })}
    </ul>
  )
}
