import { siteTexts } from '../texts/site.ts'
import { Creature } from './creature.tsx'

/** The name of the site with its fish, as a link to the home page. */
export function Brand() {
  return (
    <a class="brand" href="/">
      <Creature kind="fish" name={siteTexts.name} rarity="Gold" />
      {siteTexts.name}
    </a>
  )
}
