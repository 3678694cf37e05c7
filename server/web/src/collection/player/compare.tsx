import { versusPath } from '../../data/address.ts'
import { PlayerSearch } from '../search.tsx'

/** The field for the player to compare with. */
export function Compare({ user }: { readonly user: string }) {
  return (
    <details class="compare">
      <summary class="button">Compare</summary>
      <PlayerSearch label="Compare with" action="Compare" pathOf={(name) => versusPath(user, name)} />
    </details>
  )
}
