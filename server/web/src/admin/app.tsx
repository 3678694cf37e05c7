import type { NewUser } from '@fish-crab/sdk/admin'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PageGamemodes } from '../data/gamemodes.ts'
import { Creature } from '../parts/creature.tsx'
import type { LoginSecrets } from '../parts/login-file.ts'
import { ALL_PLAYERS, fragmentOf, readView, type View } from './data/location.ts'
import { removeCatches } from './data/records.ts'
import { createRemovals, type RemovalState } from './data/removals.ts'
import type { AdminSession } from './data/session.ts'
import { type LastList, openView, type Page, PageContext, Title } from './parts/page.tsx'
import { RemovalNotice, RemovalProblem } from './parts/removal-notice.tsx'
import { Administrators } from './views/administrators.tsx'
import { Audit } from './views/audit.tsx'
import { ImportDialog } from './views/import-dialog.tsx'
import { ImportPlayers } from './views/import-players.tsx'
import { Invitations } from './views/invitations.tsx'
import { Leaderboard } from './views/leaderboard.tsx'
import { Overview } from './views/overview.tsx'
import { OwnPassword } from './views/own-password.tsx'
import { Player } from './views/player.tsx'
import { Players } from './views/players.tsx'
import { SecretsDialog } from './views/secrets.tsx'
import { SignIn, SignInAgain } from './views/sign-in.tsx'

/** The dependencies of the page. */
export interface AdminServices {
  readonly session: AdminSession
  readonly gamemodes: PageGamemodes
  /** Whether the service is ready for requests. */
  readonly isReady: () => Promise<boolean>
}

const BELOW_PLAYERS: ReadonlySet<View['name']> = new Set(['player', 'import', 'invitations'])

const LINKS: readonly (readonly [View, string])[] = [
  [{ name: 'overview' }, 'Overview'],
  [ALL_PLAYERS, 'Players'],
  [{ name: 'leaderboard', kind: 'fish', gamemode: undefined }, 'Leaderboard'],
  [{ name: 'audit', filter: { text: '', action: undefined, since: '' } }, 'Audit log'],
  [{ name: 'administrators' }, 'Administrators'],
]

/**
 * A view keeps its state when its content changes. Each player has a key, so that no state carries over between
 * players.
 */
const keyOf = (view: View) => (view.name === 'player' ? `player ${view.player}` : view.name)

export function AdminApp({ services }: { readonly services: AdminServices }) {
  const { session, isReady, gamemodes } = services
  const [state, setState] = useState(session.state)
  const [isOver, setOver] = useState(false)
  const [view, setView] = useState(() => readView(location.hash, gamemodes))
  const [message, setMessage] = useState<{ readonly text: string; readonly key: string }>()
  const [imported, setImported] = useState<readonly NewUser[]>()
  const [revealed, setRevealed] = useState<{ readonly user: string; readonly secrets: LoginSecrets }>()

  const [{ current, failure, hidden }, setRemoval] = useState<RemovalState>({ hidden: new Set() })
  const removals = useMemo(
    () => createRemovals((removal) => session.request((client) => removeCatches(client, removal)), setRemoval),
    [session],
  )
  const lastList = useRef<LastList | undefined>(undefined)

  useEffect(() => session.subscribe(setState), [session])
  const key = keyOf(view)
  const links = useRef<HTMLElement>(null)
  useEffect(() => {
    const nav = links.current
    const link = nav?.querySelector<HTMLElement>('[aria-current]')
    // On phones, the link of the current view may be outside the visible part of the tabs. `scrollIntoView` would also
    // scroll the page.
    if (!nav || !link) return
    const start = link.offsetLeft - nav.offsetLeft
    nav.scrollLeft = Math.min(start, Math.max(nav.scrollLeft, start + link.offsetWidth - nav.clientWidth))
  }, [key, state.step])
  useEffect(() => {
    if (state.step === 'signed-out') lastList.current = undefined
  }, [state.step])
  useEffect(() => removals.clearFailure(), [key, removals])
  useEffect(() => {
    const read = () => setView(readView(location.hash, gamemodes))
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [gamemodes])

  const signOut = () => {
    setOver(true)
    setMessage(undefined)
    setRevealed(undefined)
    setImported(undefined)
    void session.signOut(removals.flush())
  }
  if (state.step === 'signed-out') {
    return (
      <>
        <header class="site">
          <Brand />
        </header>
        <main class="site" id="content">
          <RemovalProblem failure={failure} />
          <SignIn isOver={isOver} signIn={session.signIn} />
        </main>
      </>
    )
  }

  const closeImport = () => {
    setImported(undefined)
    openView(ALL_PLAYERS)
  }
  const { admin } = state
  const page: Page = {
    admin,
    gamemodes,
    request: session.request,
    requestWith: session.requestWith,
    // The address changes before `view`, so the key comes from the address.
    announce: (text) => setMessage({ text, key: keyOf(readView(location.hash, gamemodes)) }),
    removals,
    hidden,
    lastList,
    reveal: (user, secrets) => setRevealed({ user, secrets }),
    importPlayers: setImported,
  }
  return (
    <PageContext.Provider value={page}>
      {/* biome-ignore lint/a11y/useValidAnchor: fragments name views */}
      <a class="skip" href="#content" onClick={skip}>
        Skip to the content
      </a>
      <header class="site">
        <Brand />
        <div class="who">
          <span>
            {admin.username} <span class="quiet role">({admin.role})</span>
          </span>
          <OwnPassword />
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        </div>
      </header>
      <main class="site" id="content" tabIndex={-1}>
        <nav class="tabs" aria-label="Administration" ref={links}>
          {LINKS.filter(([{ name }]) => name !== 'administrators' || admin.role === 'superadmin').map(([one, text]) => (
            <a
              key={text}
              href={fragmentOf(one)}
              // A link of the tabs opens the list of players anew.
              onClick={() => {
                lastList.current = undefined
              }}
              aria-current={one.name === (BELOW_PLAYERS.has(view.name) ? 'players' : view.name) ? 'page' : undefined}
            >
              {text}
            </a>
          ))}
        </nav>
        <p class={message?.key === key ? 'notice done' : 'visually-hidden'} role="status">
          {message?.key === key && message.text}
        </p>
        <RemovalProblem failure={failure} />
        <CurrentView key={key} view={view} isReady={isReady} />
        <RemovalNotice current={current} onUndo={removals.undo} />
      </main>
      {imported && <ImportDialog players={imported} onDone={closeImport} />}
      {revealed && <SecretsDialog {...revealed} onDone={() => setRevealed(undefined)} />}
      {state.step === 'expired' && (
        <SignInAgain username={admin.username} signIn={session.signIn} onSignOut={signOut} />
      )}
    </PageContext.Provider>
  )
}

interface CurrentViewProps extends Pick<AdminServices, 'isReady'> {
  readonly view: View
}

function CurrentView({ view, isReady }: CurrentViewProps) {
  switch (view.name) {
    case 'overview':
      return <Overview isReady={isReady} />
    case 'players':
      return <Players view={view} />
    case 'player':
      return <Player view={view} />
    case 'leaderboard':
      return <Leaderboard view={view} />
    case 'audit':
      return <Audit filter={view.filter} />
    case 'administrators':
      return <Administrators />
    case 'import':
      return <ImportPlayers />
    case 'invitations':
      return <Invitations />
    case 'unknown':
      return (
        <>
          <Title>Nothing here</Title>
          <p class="panel">No view has this address. Choose one above.</p>
        </>
      )
  }
}

function Brand() {
  return (
    <a class="brand" href="#overview">
      <Creature kind="crab" name="Administration" />
      Administration
    </a>
  )
}

/** Moves the focus to the content. The skip link must not change the fragment, because the fragment names the view. */
function skip(event: MouseEvent): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}
