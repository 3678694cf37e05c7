import { useEffect, useState } from 'preact/hooks'
import { Creature } from '../parts/creature.tsx'
import { LeavePrompt } from '../parts/leave-prompt.ts'
import type { LoginResult } from './api-types.ts'
import type { Connection } from './connection.ts'
import { useDrop } from './drop.ts'
import { CopyRow, Home } from './home.tsx'
import { Login } from './login.tsx'
import { Action, ProblemText } from './parts.tsx'
import { Question } from './question.tsx'
import { needsLogin } from './view.ts'

/** The page shows one of these sentences alone. */
const SENTENCES = {
  connecting: 'Connecting to Fish Collection…',
  disconnected: 'Open Fish Collection again: this page is no longer connected.',
  ended: 'Fish Collection has ended. You can close this tab. Open Fish Collection again before you play.',
} as const

export function PlayerApp({ connection }: { readonly connection: Connection }) {
  const [status, setStatus] = useState(connection.status)
  useEffect(() => {
    setStatus(connection.status)
    return connection.subscribe(setStatus)
  }, [connection])
  useFocusOfRemoved()
  // Without this, the browser would leave the page to show a dropped file.
  useDrop(() => {})
  const [saved, setSaved] = useState<LoginResult>()

  if (status.step !== 'connected') {
    return (
      <>
        <header class="site">
          <Brand />
        </header>
        <main class="site" id="content" tabIndex={-1}>
          <h1 class="visually-hidden">Fish Collection</h1>
          <p class="lead" role="status">
            {SENTENCES[status.step]}
          </p>
        </main>
      </>
    )
  }

  const { request } = connection
  const { state } = status
  const { account, problem, question } = state
  const showsLogin = needsLogin(state)
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="site">
        <Brand />
        <div class="who">
          {account !== null && (
            <>
              <span>
                {account.user}
                {account.gamemode !== null && <span class="quiet"> · {account.gamemode}</span>}
              </span>
              <Action
                text="Log out"
                busy="Logging out…"
                onPress={async () => {
                  await request('logout', {})
                  setSaved(undefined)
                }}
              />
            </>
          )}
          <Action
            text="Quit"
            busy="Quitting…"
            onPress={async () => {
              await request('quit', {})
            }}
          />
        </div>
      </header>
      <main class="site" id="content" tabIndex={-1}>
        {problem !== null && <ProblemText problem={problem} />}
        {state.newerVersion !== null && (
          <p class="notice">
            Version {state.newerVersion} of Fish Collection is available. Download it where you got this version.
          </p>
        )}
        {question !== null && <Question key={question.id} question={question} request={request} />}
        {saved && <Saved {...saved} request={request} onDone={() => setSaved(undefined)} />}
        {showsLogin && <Login request={request} account={account} onDone={setSaved} />}
        {account !== null && <Home state={state} connection={connection} showsLogin={showsLogin} />}
      </main>
      <footer class="site">Fish Collection {state.version}</footer>
    </>
  )
}

/** Moves the focus to the content when the focused element disappears, so that the keyboard continues there. */
function useFocusOfRemoved() {
  useEffect(() => {
    let focused: EventTarget | null = null
    const remember = ({ target }: FocusEvent) => {
      focused = target
    }
    const observer = new MutationObserver(() => {
      if (document.activeElement !== document.body || (focused as Node | null)?.isConnected !== false) return
      document.getElementById('content')?.focus()
    })
    addEventListener('focusin', remember)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      removeEventListener('focusin', remember)
      observer.disconnect()
    }
  }, [])
}

interface SavedProps extends LoginResult {
  readonly request: Connection['request']
  readonly onDone: () => void
}

/** Tells the player the next steps after a login by file. The password is visible once. */
function Saved({ passwordToSave, loginFiles, request, onDone }: SavedProps) {
  const names = loginFiles.map((path) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1))
  return (
    <section class="saved panel" aria-labelledby="saved">
      <LeavePrompt />
      <h2 id="saved">You are logged in</h2>
      {passwordToSave !== null && (
        <>
          <p>Save your password now: it cannot be shown again.</p>
          <CopyRow text={passwordToSave} label="Copy" />
        </>
      )}
      <p>Delete the login file. Anyone who has it can add catches in your name.</p>
      <div class="actions">
        {names.length > 0 && (
          <Action
            text={`Delete ${names.join(' and ')}`}
            busy="Deleting…"
            onPress={async () => {
              await request('delete-login-files', {})
              onDone()
            }}
          />
        )}
        <button type="button" onClick={onDone}>
          {names.length === 0 ? 'Done' : 'Keep the file'}
        </button>
      </div>
    </section>
  )
}

function Brand() {
  return (
    <span class="brand">
      <Creature kind="fish" name="Fish Collection" rarity="Gold" />
      Fish Collection
    </span>
  )
}
