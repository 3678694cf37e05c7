import type { RarityLabel } from '@fish-crab/sdk'
import { RARITY_ORDER } from '../data/summary.ts'
import { Creature, tintOf } from '../parts/creature.tsx'
import { formatTime } from '../parts/format.ts'
import type { AppCatch } from './api-types.ts'
import { catchKeys } from './view.ts'

export function Catches({ catches }: { readonly catches: readonly AppCatch[] }) {
  const keys = catchKeys(catches)
  return (
    <ul class="cards">
      {catches.map((one, index) => {
        const rarity = rarityOf(one)
        return (
          <li key={keys[index]} class={`card ${tintOf(rarity)}`}>
            <div class="card-picture">
              <Creature kind={one.kind} name={one.name} rarity={rarity} />
            </div>
            <div class="card-text">
              <p class="card-name" title={one.name}>
                {one.name}
              </p>
              <p class="card-rarity">{rarity ?? 'Crab'}</p>
              <p class="caught quiet">
                {formatTime(Date.parse(one.caughtAt))}
                <span> · {one.gamemode}</span>
              </p>
            </div>
          </li>
        )
      })}
    </ul>
  )
}

function rarityOf({ kind, rarity }: AppCatch): RarityLabel | undefined {
  return kind === 'crab' ? undefined : (RARITY_ORDER.find((label) => label === rarity) ?? 'Unknown/Other')
}

export function nameOf(one: AppCatch): string {
  return `${one.name}, ${rarityOf(one) ?? 'Crab'}`
}
