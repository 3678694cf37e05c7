import { useMemo } from 'preact/hooks'
import type { BookEntry } from '../../data/book.ts'
import { milestonesOf } from '../../data/milestones.ts'
import type { DayCount } from '../../data/summary.ts'
import { Creature, tintOf } from '../../parts/creature.tsx'
import { formatDate } from '../../parts/format.ts'
import { ScrollArea } from './scroll-area.tsx'

interface MilestonesProps {
  readonly book: readonly BookEntry[]
  readonly days: readonly DayCount[]
}

/** The milestones of a collection as a timeline, latest milestone first. */
export function Milestones({ book, days }: MilestonesProps) {
  const milestones = useMemo(() => milestonesOf(book, days), [book, days])
  if (milestones.length === 0) return null
  return (
    <section class="milestones" aria-labelledby="milestones">
      <h2 id="milestones">Milestones</h2>
      <ScrollArea label="Milestones by date">
        <ol>
          {milestones.map(({ at, title, species }) => (
            <li key={title} class={tintOf(species ? species.rarity : 'Unknown/Other')}>
              <span class="milestone-drawing">
                {species ? <Creature {...species} /> : <span class="star" aria-hidden="true" />}
              </span>
              <strong>{title}</strong>
              {species && <span>{species.name}</span>}
              <time class="quiet" dateTime={at}>
                {formatDate(at.length > 10 ? at : `${at}T00:00`)}
              </time>
            </li>
          ))}
        </ol>
      </ScrollArea>
    </section>
  )
}
