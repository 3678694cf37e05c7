import { useEffect, useState } from 'preact/hooks'
import type { PageData } from '../../../src/page-data.ts'
import { LEADERBOARD_PATH, type Place, readAddress, readVersusPart, versusPath } from '../data/address.ts'
import type { Site } from '../data/site.ts'
import { Brand } from '../parts/brand.tsx'
import { FormatsContext, LOCAL, UTC } from '../parts/format.ts'
import { SiteContext } from '../parts/site-context.ts'
import { siteTexts as texts } from '../texts/site.tsx'
import { Home } from './home.tsx'
import { ClosedLeaderboard, LeaderboardPage } from './leaderboard.tsx'
import { MissingPage } from './missing.tsx'
import { MonthPage } from './month.tsx'
import { PlayerPage } from './player/player-page.tsx'
import { PlayerSearch } from './search.tsx'
import { type Services, ServicesContext } from './services.ts'
import { UndrawnPage } from './undrawn.tsx'
import { SamePlayer, VersusPage } from './versus.tsx'

interface AppProps {
  readonly services: Services
  readonly site: Site
  /** The page to show first. */
  readonly place: Place
  /** The data from which the server has drawn the page. @default the browser loads the data of a player */
  readonly data: PageData | undefined
}

export function App({ services, site, place, data }: AppProps) {
  const { gamemodes } = site
  const [address, setAddress] = useState(() => readAddress(place, gamemodes))
  const [part, setPart] = useState(() => readVersusPart(place.search))
  // The first view of the browser equals that of the server, which does not know the zone of the reader.
  const [formats, setFormats] = useState(data ? UTC : LOCAL)
  useEffect(() => setFormats(LOCAL), [])
  useEffect(() => {
    const read = () => setAddress(readAddress(location, gamemodes))
    addEventListener('popstate', read)
    return () => removeEventListener('popstate', read)
  }, [gamemodes])
  const isHome = address.view === 'home'
  return (
    <ServicesContext.Provider value={services}>
      <SiteContext.Provider value={site}>
        <FormatsContext.Provider value={formats}>
          <a class="skip" href="#content">
            {texts.skip}
          </a>
          <header class="site">
            {!isHome && (
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
            {site.hasLeaderboard && <a href={LEADERBOARD_PATH}>{texts.leaderboard}</a>}{' '}
            <a href="/overlay">{texts.overlay}</a> <a href="/docs">{texts.docs}</a>
          </footer>
        </FormatsContext.Provider>
      </SiteContext.Provider>
    </ServicesContext.Provider>
  )

  function content() {
    switch (data?.view) {
      case 'leaderboard':
        return <LeaderboardPage drawn={data} />
      case 'closed':
        return <ClosedLeaderboard />
      case 'versus':
        return (
          <VersusPage
            drawn={data}
            part={part}
            onPart={(next) => {
              const [one, other] = data.players
              history.replaceState(history.state, '', versusPath(one.user, other.user, next))
              setPart(next)
            }}
          />
        )
      case 'same':
        return <SamePlayer user={data.user} />
      case 'month':
        return <MonthPage {...data} />
      case 'missing':
        return <MissingPage names={data.names} />
      case 'problem':
        return <UndrawnPage problem={data.problem} />
      default:
        return browserDrawn()
    }
  }

  /** The pages that a browser can draw alone. */
  function browserDrawn() {
    switch (address.view) {
      case 'home':
        return <Home leaders={data?.view === 'home' ? data.leaders : undefined} />
      case 'unknown':
        return <MissingPage />
      default:
        return (
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
