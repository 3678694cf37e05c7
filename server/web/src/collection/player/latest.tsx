import type { PlayerProfile } from '../../data/profile.ts'
import { tintOf } from '../../parts/creature.tsx'
import { Time } from '../../parts/time.tsx'
import { catchesTexts } from '../../texts/catches.ts'
import { playerTexts } from '../../texts/player.tsx'
import { ScrollArea } from './scroll-area.tsx'

/** The catches that were stored last, of all gamemodes. */
export function Latest({ latest }: Pick<PlayerProfile, 'latest'>) {
  return (
    <ScrollArea label={playerTexts.latest}>
      <ol class="latest">
        {latest.map(({ kind, name, rarity, gamemode, caughtAt }, index) => (
          <li key={index} class={tintOf(rarity)}>
            <span class="pip" aria-hidden="true" />
            <strong>{name}</strong>
            <span class="quiet">
              {kind === 'crab' ? catchesTexts.crab : rarity} · {gamemode} · <Time at={caughtAt} format="dateTime" />
            </span>
          </li>
        ))}
      </ol>
    </ScrollArea>
  )
}
