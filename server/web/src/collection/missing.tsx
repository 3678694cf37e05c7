import { USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { useEffect } from 'preact/hooks'
import { forgetLastKnown } from '../data/last-known.ts'
import { forgetVisits } from '../data/visits.ts'
import { useLazy } from '../parts/use-lazy.ts'
import { missingTexts as texts } from '../texts/missing.tsx'
import { Empty } from './empty.tsx'

const loadKnownPlayers = () => import('./known-players.tsx')

interface MissingPageProps {
  /** The players who do not exist. Empty if no player can have the name. @default the page does not exist */
  readonly names?: readonly string[] | undefined
}

/** A page that does not exist, or whose players do not exist. */
export function MissingPage({ names }: MissingPageProps) {
  useEffect(() => {
    for (const name of names ?? []) {
      forgetLastKnown(name)
      forgetVisits(name)
    }
  }, [names])
  if (!names) {
    return (
      <Empty title={texts.pageTitle}>
        <p>{texts.page}</p>
        <p>
          <a href="/">{texts.home}</a>
        </p>
      </Empty>
    )
  }
  const [name, other] = names
  return (
    <Empty title={texts.playerTitle}>
      {name === undefined ? (
        <p>{texts.impossible(USER_NAME_RULE)}</p>
      ) : (
        <>
          <p>{other === undefined ? texts.player(name) : texts.players(name, other)}</p>
          <p class="quiet">{texts.check}</p>
          <p role="status">
            <LazyClosest names={names} />
          </p>
        </>
      )}
    </Empty>
  )
}

function LazyClosest({ names }: { readonly names: readonly string[] }) {
  const known = useLazy(loadKnownPlayers)
  return known && known !== 'failed' ? <known.ClosestPlayers names={names} /> : null
}
