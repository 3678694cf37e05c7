import { useEffect, useMemo, useState } from 'preact/hooks'
import type { PageData } from '../../../src/page-data.ts'
import { LEADERBOARD_PATH, type Place, readAddress } from '../data/address.ts'
import { demoProfile } from '../data/demo.ts'
import { playerProfileOf } from '../data/profile.ts'
import type { Site } from '../data/site.ts'
import { Brand } from '../parts/brand.tsx'
import { FormatsContext, LOCAL, UTC } from '../parts/format.ts'
import { SiteContext } from '../parts/site-context.ts'
import { siteTexts as texts } from '../texts/site.ts'
import type { DrawnView } from './drawn-view.tsx'
import { MissingPage } from './missing.tsx'
import { type DrawnPlayer, PlayerPage } from './player/player-page.tsx'
import { PlayerSearch } from './search.tsx'
import { type Services, ServicesContext } from './services.ts'

interface AppProps {
  readonly services: Services
  readonly site: Site
  /** The page to show first. */
  readonly place: Place
  /** The data from which the server has drawn the page. @default the browser loads the data of a player */
  readonly data: PageData | undefined
  /** Shows the pages that only the server can draw first. @default the browser draws the page */
  readonly view: typeof DrawnView | undefined
}

export function App({ services, site, place, data, view }: AppProps) {
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
  const drawn = useMemo(() => drawnPlayer(data), [data])
  return (
    <ServicesContext.Provider value={services}>
      <SiteContext.Provider value={site}>
        <FormatsContext.Provider value={formats}>
          <a class="skip" href="#content">
            {texts.skip}
          </a>
          <header class="site">
            {data?.view !== 'home' && (
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
    const View = view
    if (data?.view === 'missing') return <MissingPage names={data.names} />
    if (View && data && data.view !== 'player' && data.view !== 'demo')
      return <View data={data} search={place.search} />
    if (address.view === 'unknown') return <MissingPage />
    const key = address.view === 'player' ? address.name : ''
    return <PlayerPage services={services} key={key} address={address} drawn={drawn} onChange={setAddress} />
  }
}

function drawnPlayer(data: PageData | undefined): DrawnPlayer | undefined {
  if (data?.view === 'demo') return { profile: demoProfile(data.now), isPartial: false }
  return data?.view === 'player' ? { ...data, profile: playerProfileOf(data.profile) } : undefined
}
