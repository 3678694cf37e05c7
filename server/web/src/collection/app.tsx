import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { useEffect, useState } from 'preact/hooks'
import type { PageData } from '../../../src/page-data.ts'
import { LEADERBOARD_PATH, leaderboardPath, type Place, readAddress } from '../data/address.ts'
import type { Site } from '../data/site.ts'
import { Brand } from '../parts/brand.tsx'
import { FormatsContext, LOCAL, UTC } from '../parts/format.ts'
import { SiteContext } from '../parts/site-context.ts'
import { Empty } from './empty.tsx'
import { Home } from './home.tsx'
import { LeaderboardPage } from './leaderboard.tsx'
import { MonthPage } from './month.tsx'
import { PlayerPage } from './player/player-page.tsx'
import { PlayerSearch } from './search.tsx'
import type { Services } from './services.ts'
import { VersusPage } from './versus.tsx'

interface AppProps {
  readonly services: Services
  readonly site: Site
  /** The page to show first. */
  readonly place: Place
  /** The data from which the server has drawn the page. @default the browser loads the data */
  readonly data: PageData | undefined
}

export function App({ services, site, place, data }: AppProps) {
  const { gamemodes } = site
  const [address, setAddress] = useState(() => readAddress(place, gamemodes))
  // The first view of the browser equals that of the server, which does not know the zone of the reader.
  const [formats, setFormats] = useState(data ? UTC : LOCAL)
  useEffect(() => setFormats(LOCAL), [])
  useEffect(() => {
    const read = () => setAddress(readAddress(location, gamemodes))
    addEventListener('popstate', read)
    return () => removeEventListener('popstate', read)
  }, [gamemodes])
  return (
    <SiteContext.Provider value={site}>
      <FormatsContext.Provider value={formats}>
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
          {site.hasLeaderboard && <a href={LEADERBOARD_PATH}>Leaderboard</a>} <a href="/overlay">Stream overlay</a>{' '}
          <a href="/docs">API reference</a>
        </footer>
      </FormatsContext.Provider>
    </SiteContext.Provider>
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
            drawn={data?.view === 'leaderboard' ? data : undefined}
            onKind={(kind) => {
              history.replaceState(null, '', leaderboardPath(kind))
              setAddress({ view: 'leaderboard', kind })
            }}
          />
        )
      case 'versus':
        return address.names.every(isUserName) ? (
          <VersusPage
            client={services.client}
            names={address.names}
            drawn={data?.view === 'versus' ? data.profiles : undefined}
          />
        ) : (
          <ImpossibleName />
        )
      case 'month':
        return isUserName(address.name) ? (
          <MonthPage name={address.name} month={address.month} drawn={data?.view === 'month' ? data : undefined} />
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
            drawn={data?.view === 'player' ? data : undefined}
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
