import type { ComponentChildren } from 'preact'
import { Creature } from '../parts/creature.tsx'
import { PlayerSearch } from './search.tsx'

interface EmptyProps {
  readonly title: string
  readonly children: ComponentChildren
}

/** A page that has no collection to show. It has a field to search for a player. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="panel empty">
      <Creature kind="fish" name={title} rarity="Unknown/Other" />
      <h1>{title}</h1>
      {children}
      <PlayerSearch isLarge />
    </div>
  )
}
