import type { ComponentChildren } from 'preact'
import { Creature } from '../parts/creature.tsx'

interface EmptyProps {
  readonly title: string
  readonly children: ComponentChildren
}

/** A page that has no collection to show. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="panel empty">
      <Creature kind="fish" name={title} rarity="Unknown/Other" />
      <h1>{title}</h1>
      {children}
    </div>
  )
}
