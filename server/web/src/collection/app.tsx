import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { LEADERBOARD_PATH, leaderboardPath, readAddress } from '../data/address.ts'
import { pageGamemodes } from '../data/gamemodes.ts'
import { hasLeaderboard } from '../data/site.ts'
import { Brand } from '../parts/brand.tsx'
import { Empty } from './empty.tsx'
import { Home } from './home.tsx'
import { LeaderboardPage } from './leaderboard.tsx'
import { PlayerPage } from './player/player-page.tsx'
import { PlayerSearch } from './search.tsx'
import type { Services } from './services.ts'
import { VersusPage } from './versus.tsx'

export function App({ services }: { readonly services: Services }) {
  const gamemodes = useMemo(pageGamemodes, [])
  const [address, setAddress] = useState(() => readAddress(location, gamemodes))
  useEffect(() => {
    const read = () => setAddress(readAddress(location, gamemodes))
    addEventListener('popstate', read)
    return () => removeEventListener('popstate', read)
  }, [gamemodes])
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="site">
        {address.view !== 'home' && (
          <>
            <Brand />
            <PlayerSearch />
          </>
        )}
      </header>
      <main class="site" id="content" tabIndex={-1}>
        {content()}
      </main>
      <footer class="site">
        {hasLeaderboard() && <a href={LEADERBOARD_PATH}>Leaderboard</a>} <a href="/overlay">Stream overlay</a>{' '}
        <a href="/docs">API reference</a>
      </footer>
    </>
  )

  function content() {
    switch (address.view) {
      case 'home':
        return <Home services={services} />
      case 'leaderboard':
        return (
          <LeaderboardPage
            client={services.client}
            kind={address.kind}
            onKind={(kind) => {
              history.replaceState(null, '', leaderboardPath(kind))
              setAddress({ view: 'leaderboard', kind })
            }}
          />
        )
      case 'versus':
        return address.names.every(isUserName) ? (
          <VersusPage client={services.client} names={address.names} />
        ) : (
          <ImpossibleName />
        )
      case 'unknown':
        return (
          <Empty title="Page not found">
            <p>
              This address leads nowhere. Look up a player above, or go to the <a href="/">home page</a>.
            </p>
          </Empty>
        )
      default:
        return address.view === 'player' && !isUserName(address.name) ? (
          <ImpossibleName />
        ) : (
          <PlayerPage
            services={services}
            key={address.view === 'player' ? address.name : ''}
            address={address}
            onChange={setAddress}
          />
        )
    }
  }
}

function ImpossibleName() {
  return (
    <Empty title="Player not found">
      <p>No player can have this name. Names are {USER_NAME_RULE}.</p>
    </Empty>
  )
}
