import { GAMEMODES, type Gamemode, isGamemode, isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { useEffect, useState } from 'preact/hooks'
import { playerPath, readAddress } from '../data/address.ts'
import { readPreference, savePreference } from '../data/preferences.ts'
import { Drawing, Drawings } from '../parts/drawings.tsx'
import { CollectionPage, type Services } from './collection.tsx'
import { Home } from './home.tsx'
import { PlayerSearch } from './search.tsx'

const GAMEMODE = 'fish-crab-gamemode'

export function App({ services }: { readonly services: Services }) {
  const [address, setAddress] = useState(() => readAddress(location))
  useEffect(() => {
    const read = () => setAddress(readAddress(location))
    addEventListener('popstate', read)
    return () => removeEventListener('popstate', read)
  }, [])

  const { name, isDemo } = address
  const gamemode = address.gamemode ?? usualGamemode()
  // Then the address leads others to what is shown, and the way back leads here again.
  useEffect(() => {
    if (name !== undefined && address.gamemode === undefined) {
      history.replaceState(null, '', playerPath(name, gamemode))
      setAddress(readAddress(location))
    }
  }, [name, address.gamemode, gamemode])
  const openGamemode = (next: Gamemode) => {
    savePreference(GAMEMODE, next)
    history.pushState(null, '', playerPath(name ?? '', next))
    setAddress(readAddress(location))
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
            player={name === undefined ? undefined : { name, gamemode }}
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

function usualGamemode(): Gamemode {
  const usual = readPreference(GAMEMODE)
  return isGamemode(usual) ? usual : GAMEMODES[0]
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
