import { Creature } from './creature.tsx'

/** The name of the site with its fish, as a link to the home page. */
/** The name of the service on pages. */
export const SITE = 'Fish and Crab Collection'

export function Brand() {
  return (
    <a class="brand" href="/">
      <Creature kind="fish" name={SITE} rarity="Gold" />
      {SITE}
    </a>
  )
}
