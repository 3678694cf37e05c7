import type { PlayerProfile } from '../../data/profile.ts'
import { tintOf } from '../../parts/creature.tsx'
import { useFormats } from '../../parts/format.ts'
import { ScrollArea } from './scroll-area.tsx'

/** The catches that were stored last, of all gamemodes. */
export function Latest({ latest }: Pick<PlayerProfile, 'latest'>) {
  const formats = useFormats()
  return (
    <ScrollArea label="Latest catches">
      <ol class="latest">
        {latest.map(({ kind, name, rarity, gamemode, caughtAt }, index) => (
          <li key={index} class={tintOf(rarity)}>
            <span class="pip" aria-hidden="true" />
            <strong>{name}</strong>
            <span class="quiet">
              {kind === 'crab' ? 'Crab' : rarity} · {gamemode} ·{' '}
              <time dateTime={caughtAt}>{formats.dateTime(caughtAt)}</time>
            </span>
          </li>
        ))}
      </ol>
    </ScrollArea>
  )
}
