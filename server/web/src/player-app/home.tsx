import { useState } from 'preact/hooks'
import { monthPath, playerPath } from '../data/address.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { formatNumber, plural } from '../parts/format.ts'
import type { AppState } from './api-types.ts'
import { Catches, nameOf } from './catches.tsx'
import type { Connection } from './connection.ts'
import { OldLogs } from './old-logs.tsx'
import { Action, useAppTask } from './parts.tsx'
import { Password } from './password.tsx'
import { figuresOf } from './view.ts'

interface HomeProps {
  readonly state: AppState
  readonly connection: Pick<Connection, 'request' | 'upload'>
  /** Whether the page already shows the login. */
  readonly showsLogin: boolean
}

export function Home({ state, connection, showsLogin }: HomeProps) {
  const { account, games, day, progress, startsWithComputer } = state
  const { request } = connection
  const [panel, setPanel] = useState<PanelName>()
  const { fish, crabs, best } = figuresOf(day, new Date())
  return (
    <>
      {!showsLogin && <h1 class="visually-hidden">Fish Collection</h1>}
      <section class="control panel" aria-label="Start and stop">
        <Switch state={state} request={request} />
        <p class="quiet">
          You can close this tab: Fish Collection continues until you press Quit. Open it again to see this page.
        </p>
        {startsWithComputer !== null && <Autostart isOn={startsWithComputer} request={request} />}
      </section>
      <dl class="totals">
        <Total name="Fish today" value={formatNumber(fish)} />
        <Total name="Crabs today" value={formatNumber(crabs)} />
        <Total name="Best catch today" value={best === null ? '–' : nameOf(best)} />
      </dl>
      <Queue queue={state.queue} request={request} showsLogin={showsLogin} />
      {account !== null && (
        <Actions
          account={account}
          request={request}
          panel={panel}
          onPanel={(name) => setPanel(name === panel ? undefined : name)}
        />
      )}
      {panel === 'old-logs' && !showsLogin && <OldLogs connection={connection} progress={progress} />}
      {panel === 'password' && account !== null && <Password account={account} request={request} />}
      <section aria-labelledby="catches">
        <h2 id="catches">Catches</h2>
        <p class="visually-hidden" role="status">
          {day.catches[0] && `Caught: ${nameOf(day.catches[0])}. ${formatNumber(fish + crabs)} today.`}
        </p>
        {day.catches.length === 0 ? <p class="quiet">New catches appear here.</p> : <Catches catches={day.catches} />}
      </section>
      <Games games={games} />
    </>
  )
}

function Switch({
  state: { running, starting, queue },
  request,
}: Pick<HomeProps, 'state'> & Pick<Connection, 'request'>) {
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
        {running && queue.waiting > 0 && queue.waitingReason === null && ` · sending ${formatNumber(queue.waiting)}`}
      </p>
    </>
  )
}

function Autostart({ isOn, request }: { readonly isOn: boolean } & Pick<Connection, 'request'>) {
  const { isBusy, problem, run } = useAppTask()
  const set = (enabled: boolean) =>
    run(async () => {
      await request('autostart', { enabled })
    })
  return (
    <>
      <label class="check">
        <input type="checkbox" checked={isOn} disabled={isBusy} onChange={() => set(!isOn)} />
        Start with this computer
      </label>
      {problem && <p role="alert">{problem.message}</p>}
    </>
  )
}

function Total({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div class="total">
      <dt>{name}</dt>
      <dd class="total-value">{value}</dd>
    </div>
  )
}

function Queue({
  queue: { waiting, waitingReason, rejected, rejectedReason },
  request,
  showsLogin,
}: Pick<AppState, 'queue'> & Pick<Connection, 'request'> & Pick<HomeProps, 'showsLogin'>) {
  return (
    <>
      {waitingReason !== null && (
        <p class="notice">
          <span>
            <strong>{plural(waiting, 'catch is', 'catches are')} waiting on this computer.</strong> {waitingReason}
          </span>
        </p>
      )}
      {rejected > 0 && (
        <div class="notice problem">
          <p>
            <strong>{plural(rejected, 'catch was', 'catches were')} rejected.</strong> {rejectedReason}
          </p>
          {!showsLogin && (
            <Action
              text="Send again"
              busy="Sending…"
              onPress={async () => {
                await request('retry', {})
              }}
            />
          )}
        </div>
      )}
    </>
  )
}

/** The UTC month, such as `2026-11`. */
function currentMonth(): string {
  return new Date().toISOString().slice(0, 'YYYY-MM'.length)
}

/** A panel that a button of the actions opens. */
type PanelName = 'old-logs' | 'password'

interface ActionsProps extends Pick<Connection, 'request'> {
  readonly account: NonNullable<AppState['account']>
  readonly panel: PanelName | undefined
  readonly onPanel: (name: PanelName) => void
}

function Actions({ account: { service, user }, request, panel, onPanel }: ActionsProps) {
  const [outcome, setOutcome] = useState<string>()
  const [overlay, setOverlay] = useState<string>()
  const addressOf = (path: string) => service.replace(/\/$/, '') + path
  const undo = async () => {
    setOverlay(undefined)
    setOutcome((await request('undo', {})).message)
  }
  const copy = async () => {
    const address = addressOf(`/overlay/${encodeURIComponent(user)}`)
    const isCopied = await navigator.clipboard.writeText(address).then(
      () => true,
      // The browser may forbid it. The player can still copy the address.
      () => false,
    )
    setOverlay(address)
    setOutcome(isCopied ? 'Copied. Add it to OBS as a browser source.' : 'Copy this address.')
  }
  return (
    <section aria-label="Actions">
      <div class="actions">
        <a class="button" href={addressOf(playerPath(user))} target="_blank" rel="noreferrer">
          My collection
        </a>
        <a class="button" href={addressOf(monthPath(user, currentMonth()))} target="_blank" rel="noreferrer">
          My month
        </a>
        <Action text="Copy overlay address" busy="Copying…" onPress={copy} />
        <Action text="Undo" busy="Undoing…" onPress={undo} />
        <button type="button" aria-expanded={panel === 'old-logs'} onClick={() => onPanel('old-logs')}>
          Old logs
        </button>
        <button type="button" aria-expanded={panel === 'password'} onClick={() => onPanel('password')}>
          Password
        </button>
      </div>
      <div class="outcome" role="status">
        {outcome !== undefined && <p>{outcome}</p>}
        {overlay !== undefined && <CopyRow text={overlay} label="Copy" />}
      </div>
    </section>
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

function Games({ games }: Pick<AppState, 'games'>) {
  return (
    <section aria-labelledby="games">
      <h2 id="games">Games</h2>
      {games.length === 0 ? (
        <p class="quiet">Fish Collection looks for your games when you press Start.</p>
      ) : (
        <ul class="games panel">
          {games.map(({ path, launcher, followed, note }) => (
            <li key={path} class={followed ? undefined : 'quiet'}>
              <strong>{launcher === null || launcher === 'vanilla' ? 'Minecraft' : launcher}</strong>
              <span>
                {!followed && 'Skipped: '}
                {note}
              </span>
              <code class="quiet">{path}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
