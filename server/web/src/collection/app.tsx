import { type Gamemode, isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { playerPath, readAddress } from '../data/address.ts'
import { matchGamemode, type PageGamemodes, pageGamemodes } from '../data/gamemodes.ts'
import { readPreference, savePreference } from '../data/preferences.ts'
import { Drawing, Drawings } from '../parts/drawings.tsx'
import { CollectionPage, type Services } from './collection.tsx'
import { Home } from './home.tsx'
import { PlayerSearch } from './search.tsx'

const GAMEMODE = 'fish-crab-gamemode'

export function App({ services }: { readonly services: Services }) {
  const gamemodes = useMemo(pageGamemodes, [])
  const [address, setAddress] = useState(() => readAddress(location, gamemodes))
  useEffect(() => {
    const read = () => setAddress(readAddress(location, gamemodes))
    addEventListener('popstate', read)
    return () => removeEventListener('popstate', read)
  }, [gamemodes])

  const { name, isDemo, gamemode } = address
  const openGamemode = (next: Gamemode) => {
    savePreference(GAMEMODE, next)
    history.pushState(null, '', playerPath(name ?? '', next))
    setAddress(readAddress(location, gamemodes))
  }
  const isHome = name === undefined && !isDemo
  return (
    <>
      <Drawings />
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="site">
        {!isHome && (
          <>
            <a class="brand" href="/">
              <Drawing shape="gold" />
              Fish and Crab Collection
            </a>
            <PlayerSearch />
          </>
        )}
      </header>
      <main class="site" id="content" tabIndex={-1}>
        {isHome ? (
          <Home />
        ) : name !== undefined && !isUserName(name) ? (
          <ImpossibleName />
        ) : (
          <CollectionPage
            services={services}
            key={name}
            player={name === undefined ? undefined : { name, gamemode }}
            gamemodes={gamemodes}
            usualGamemode={usualGamemode(gamemodes)}
            onGamemode={openGamemode}
          />
        )}
      </main>
      <footer class="site">
        <a href="/overlay">Stream overlay</a> <a href="/docs">API reference</a>
      </footer>
    </>
  )
}

function usualGamemode(gamemodes: PageGamemodes): Gamemode {
  return matchGamemode(gamemodes, readPreference(GAMEMODE)) ?? gamemodes[0]
}

function ImpossibleName() {
  return (
    <div class="panel empty">
      <Drawing shape="unknown" />
      <h1>Player not found</h1>
      <p>No player can have this name. Names are {USER_NAME_RULE}.</p>
      <PlayerSearch isLarge />
    </div>
  )
}
