import { useMemo } from 'preact/hooks'
import { milestonesOf } from '../../data/milestones.ts'
import type { PlayerProfile } from '../../data/profile.ts'
import type { SpeciesEntry } from '../../data/species-list.ts'
import { Creature, tintOf } from '../../parts/creature.tsx'
import { useFormats } from '../../parts/format.ts'
import { milestonesTexts as texts } from '../../texts/milestones.ts'
import { ScrollArea } from './scroll-area.tsx'

interface MilestonesProps {
  readonly entries: readonly SpeciesEntry[]
  readonly profile: PlayerProfile
}

/** The milestones of a collection as a timeline, latest milestone first. */
export function Milestones({ entries, profile }: MilestonesProps) {
  const formats = useFormats()
  const milestones = useMemo(() => milestonesOf(entries, profile), [entries, profile])
  if (milestones.length === 0) return null
  return (
    <section class="milestones" aria-labelledby="milestones">
      <h2 id="milestones">{texts.title}</h2>
      <ScrollArea label={texts.byDate}>
        <ol>
          {milestones.map(({ at, title, species }) => (
            <li key={title} class={tintOf(species ? species.rarity : 'Unknown/Other')}>
              <span class="milestone-drawing">
                {species ? <Creature {...species} /> : <span class="star" aria-hidden="true" />}
              </span>
              <strong>{title}</strong>
              {species && <span>{species.name}</span>}
              <time class="quiet" dateTime={at}>
                {formats.date(at.length > 10 ? at : `${at}T00:00`)}
              </time>
            </li>
          ))}
        </ol>
      </ScrollArea>
    </section>
  )
}
