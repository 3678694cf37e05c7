import type { RarityLabel } from '@fish-crab/sdk'
import { useState } from 'preact/hooks'
import { RARITY_ORDER } from '../data/summary.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Creature, tintOf } from '../parts/creature.tsx'
import { formatNumber, formatTime, plural } from '../parts/format.ts'
import type { AppCatch, AppGame, AppState } from './api-types.ts'
import type { Connection } from './connection.ts'
import { AppError } from './connection.ts'
import { Action, ProblemText, useAppTask } from './parts.tsx'
import { catchKeys } from './view.ts'

/** The messages that are visible without a press. */
const LATEST_MESSAGES = 3

interface HomeProps {
  readonly state: AppState
  readonly request: Connection['request']
  /** Whether the page already shows the login. */
  readonly showsLogin: boolean
  readonly onLogin: () => void
}

export function Home({ state, request, showsLogin, onLogin }: HomeProps) {
  const { running, starting, games, catches, totals, queue, messages } = state
  return (
    <>
      {!showsLogin && <h1 class="visually-hidden">Fish Collection</h1>}
      <section class="control panel" aria-label="Start and stop">
        <Switch running={running} starting={starting} request={request} />
        <p class="quiet">
          You can close this tab: Fish Collection continues until you press Quit. Open it again to see this page.
        </p>
      </section>
      <dl class="totals">
        <Total name="Fish today" count={totals.fish} />
        <Total name="Crabs today" count={totals.crabs} />
      </dl>
      {queue.waiting > 0 && (
        <p class="notice">
          {plural(queue.waiting, 'catch is', 'catches are')} waiting on this computer. Fish Collection sends them as
          soon as the service responds.
        </p>
      )}
      {queue.rejected > 0 && (
        <div class="notice problem">
          <p>
            <strong>{plural(queue.rejected, 'catch was', 'catches were')} rejected.</strong> Your key may have changed.
          </p>
          {!showsLogin && (
            <button type="button" onClick={onLogin}>
              Log in again
            </button>
          )}
        </div>
      )}
      <Actions request={request} />
      <section aria-labelledby="catches">
        <h2 id="catches">Catches</h2>
        <p class="visually-hidden" role="status">
          {catches[0] && `Caught: ${nameOf(catches[0])}. ${formatNumber(totals.fish + totals.crabs)} today.`}
        </p>
        {catches.length === 0 ? <p class="quiet">New catches appear here.</p> : <Catches catches={catches} />}
      </section>
      <Games games={games} />
      {messages.length > 0 && (
        <section aria-labelledby="messages">
          <h2 id="messages">Messages</h2>
          <Messages messages={messages.slice(-LATEST_MESSAGES)} />
          {messages.length > LATEST_MESSAGES && (
            <details>
              <summary>Older messages</summary>
              <Messages messages={messages.slice(0, -LATEST_MESSAGES)} />
            </details>
          )}
        </section>
      )}
    </>
  )
}

function Switch({ running, starting, request }: Pick<AppState, 'running' | 'starting'> & Pick<HomeProps, 'request'>) {
  const name = running || starting ? 'stop' : 'start'
  return (
    <>
      <Action
        class={name === 'start' ? 'switch primary' : 'switch'}
        text={name === 'start' ? 'Start' : 'Stop'}
        busy={name === 'start' ? 'Starting…' : 'Stopping…'}
        onPress={async () => {
          await request(name, {})
        }}
      />
      <p class="state" role="status">
        {running && <span class="dot" />}
        {running ? 'Collecting your catches' : starting ? 'Starting…' : 'Press Start before you play.'}
      </p>
    </>
  )
}

function Total({ name, count }: { readonly name: string; readonly count: number }) {
  return (
    <div class="total">
      <dt>{name}</dt>
      <dd class="total-value">{formatNumber(count)}</dd>
    </div>
  )
}

/** The result of the last action: a text, or an address to copy. */
interface Outcome {
  readonly text: string
  readonly address?: string
}

function Actions({ request }: Pick<HomeProps, 'request'>) {
  const [outcome, setOutcome] = useState<Outcome>()
  const [asksPassword, setAsksPassword] = useState(false)
  const undo = async (password?: string) => {
    try {
      setOutcome({ text: (await request('undo', password === undefined ? {} : { password })).message })
      setAsksPassword(false)
    } catch (error) {
      if (!(error instanceof AppError && error.problem.needsPassword) || asksPassword) throw error
      setAsksPassword(true)
    }
  }
  const open = async () => {
    const { url } = await request('open', { page: 'collection' })
    window.open(url, '_blank', 'noopener')
    setOutcome({ text: 'Your collection opens in a new tab. If it does not, copy its address.', address: url })
  }
  const copy = async () => {
    const { url } = await request('open', { page: 'overlay' })
    const isCopied = await navigator.clipboard.writeText(url).then(
      () => true,
      // The browser may forbid it. The player can still copy the address.
      () => false,
    )
    setOutcome({ text: isCopied ? 'Copied. Add it to OBS as a browser source.' : 'Copy this address.', address: url })
  }
  return (
    <section aria-label="Actions">
      <div class="actions">
        <Action text="My collection" busy="Opening…" onPress={open} />
        <Action text="Copy overlay address" busy="Copying…" onPress={copy} />
        <Action text="Undo" busy="Undoing…" onPress={() => undo()} />
      </div>
      {asksPassword && <UndoForm undo={undo} />}
      <div class="outcome" role="status">
        {outcome && <p>{outcome.text}</p>}
        {outcome?.address !== undefined && <CopyRow text={outcome.address} label="Copy" />}
      </div>
    </section>
  )
}

/** The service asks for the password before it removes catches that it has stored. */
function UndoForm({ undo }: { readonly undo: (password: string) => Promise<void> }) {
  const { isBusy, problem, run } = useAppTask()
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const password = new FormData(event.currentTarget as HTMLFormElement).get('password')
    void run(() => undo(String(password ?? '')))
  }
  return (
    <form class="panel form" onSubmit={send} aria-busy={isBusy}>
      <p>The catches are already in your collection. To remove them, enter your password.</p>
      <div class="field">
        <label for="undo-password">Password</label>
        <input id="undo-password" name="password" type="password" autocomplete="current-password" required />
      </div>
      {problem && <ProblemText problem={problem} />}
      <button type="submit" class="primary" aria-disabled={isBusy}>
        {isBusy ? 'Removing…' : 'Remove the catches'}
      </button>
    </form>
  )
}

/** A text that the player copies, with a button. */
export function CopyRow({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <p class="copy-row">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </p>
  )
}

function Catches({ catches }: { readonly catches: readonly AppCatch[] }) {
  const keys = catchKeys(catches)
  return (
    <ul class="cards">
      {catches.map((one, index) => {
        const rarity = rarityOf(one)
        return (
          <li key={keys[index]} class={`card ${tintOf(rarity)}`}>
            <div class="card-picture">
              <Creature kind={one.kind} name={one.name} rarity={rarity} />
            </div>
            <div class="card-text">
              <p class="card-name" title={one.name}>
                {one.name}
              </p>
              <p class="card-rarity">{rarity ?? 'Crab'}</p>
              <p class="caught quiet">
                {formatTime(Date.parse(one.caughtAt))}
                {one.gamemode !== null && <span> · {one.gamemode}</span>}
              </p>
            </div>
          </li>
        )
      })}
    </ul>
  )
}

function rarityOf({ kind, rarity }: AppCatch): RarityLabel | undefined {
  return kind === 'crab' ? undefined : (RARITY_ORDER.find((label) => label === rarity) ?? 'Unknown/Other')
}

function nameOf(one: AppCatch): string {
  return `${one.name}, ${rarityOf(one) ?? 'Crab'}`
}

function Games({ games }: { readonly games: readonly AppGame[] }) {
  return (
    <section aria-labelledby="games">
      <h2 id="games">Games</h2>
      {games.length === 0 ? (
        <p class="quiet">No game found yet. Start the game once, so that it writes a log.</p>
      ) : (
        <ul class="games panel">
          {games.map(({ path, launcher, note }) => (
            <li key={path}>
              <strong>{launcher ?? 'Minecraft'}</strong>
              <span>{note}</span>
              <code class="quiet">{path}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Messages, newest first. */
function Messages({ messages }: Pick<AppState, 'messages'>) {
  return (
    <ul class="messages">
      {[...messages].reverse().map(({ id, text }) => (
        <li key={id}>{text}</li>
      ))}
    </ul>
  )
}
