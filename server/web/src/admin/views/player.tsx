import type { ResetType, User } from '@fish-crab/sdk/admin'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { playerPath } from '../../data/address.ts'
import { formatDateTime, formatNumber, plural } from '../../parts/format.ts'
import type { LoginSecrets } from '../../parts/login-file.ts'
import { ALL_PLAYERS, fragmentOf, type View } from '../data/location.ts'
import { stateOf } from '../data/player-list.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Confirmation, checkConfirmation, Field, Form } from '../parts/form.tsx'
import { LoadNotice, useLoad } from '../parts/load.tsx'
import { openView, Title, usePage } from '../parts/page.tsx'
import { AccountTask, type AccountTaskName, isAccountTask } from './account-tasks.tsx'
import { Catches } from './catches.tsx'

type PlayerView = Extract<View, { readonly name: 'player' }>

const RESETS: Readonly<Record<ResetType, string>> = { password: 'password', fernet: 'Fernet key', 'api-key': 'API key' }

type Task = ResetType | 'read' | 'delete' | AccountTaskName

const isReset = (task: Task | undefined): task is ResetType => task !== undefined && task in RESETS

/** A player with its secrets and its catches. */
export function Player({ view }: { readonly view: PlayerView }) {
  const { request, admin, lastList } = usePage()
  const { player } = view
  const [task, setTask] = useState<Task>()
  const loaded = useLoad(`player ${player}`, () => request((client) => client.users.get(player)))
  const user = loaded.content
  const state = user && stateOf(user)
  const close = () => setTask(undefined)
  return (
    <>
      <nav aria-label="Back">
        <a href={lastList.current?.fragment ?? fragmentOf(ALL_PLAYERS)}>← All players</a>
      </nav>
      <Title>{player}</Title>
      <LoadNotice loaded={loaded} what={player} />
      {user && (
        <>
          <section class="panel" aria-labelledby="account">
            <h2 id="account">Account</h2>
            <dl class="facts">
              {user.totals && (
                <>
                  <dt>Catches</dt>
                  <dd>
                    {formatNumber(user.totals.fish)} fish and {plural(user.totals.crab, 'crab')}
                  </dd>
                </>
              )}
              <Moment title="Latest catch" at={user.lastCatch?.at}>
                {user.lastCatch && ` in ${user.lastCatch.gamemode}`}
              </Moment>
              {state !== undefined && (
                <>
                  <dt>State</dt>
                  <dd>
                    <strong>{state.charAt(0).toUpperCase() + state.slice(1)}</strong>
                  </dd>
                </>
              )}
              <Moment title="Created" at={user.createdAt} />
              <Moment title="Key last read" at={user.lastKeyReadAt} />
              <dt>Id</dt>
              <dd>
                <code>{user.id}</code>
              </dd>
              <dt>Collection</dt>
              <dd>
                <a href={playerPath(user.name, view.gamemode)} target="_blank" rel="noreferrer">
                  Open the public page
                </a>
              </dd>
            </dl>
            <div class="actions">
              {(Object.keys(RESETS) as ResetType[]).map((type) => (
                <button key={type} type="button" onClick={() => setTask(type)}>
                  Replace {RESETS[type]}
                </button>
              ))}
              <button type="button" onClick={() => setTask('read')}>
                Show Fernet key
              </button>
              <button type="button" onClick={() => setTask('login-link')}>
                Login link
              </button>
              <button type="button" onClick={() => setTask('rename')}>
                Rename
              </button>
              <button type="button" onClick={() => setTask('suspend')}>
                {user.suspended ? 'End suspension' : 'Suspend'}
              </button>
              {admin.role === 'superadmin' && (
                <button type="button" class="danger" onClick={() => setTask('delete')}>
                  Delete player
                </button>
              )}
            </div>
            {admin.role !== 'superadmin' && <p class="hint">Only superadmins can delete players.</p>}
          </section>
          <Catches view={view} user={user} onChange={loaded.reload} />
          {task === 'delete' && <DeletePlayer user={user} onClose={close} />}
          {task === 'read' && <ReadKey user={user} onClose={close} />}
          {isReset(task) && <Reset user={user} type={task} onClose={close} />}
          {isAccountTask(task) && <AccountTask name={task} user={user} onClose={close} onDone={loaded.reload} />}
        </>
      )}
    </>
  )
}

interface MomentProps {
  readonly title: string
  readonly at: string | undefined
  readonly children?: ComponentChildren
}

function Moment({ title, at, children }: MomentProps) {
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {at === undefined ? 'Never' : <time dateTime={at}>{formatDateTime(at)}</time>}
        {children}
      </dd>
    </>
  )
}

interface TaskProps {
  readonly user: User
  readonly onClose: () => void
}

function Reset({ user, type, onClose }: TaskProps & { readonly type: ResetType }) {
  const { request, reveal, announce } = usePage()
  const what = RESETS[type]
  return (
    <Dialog title={`Replace the ${what} of ${user.name}`} onEscape={onClose}>
      <p>
        The old {what} stops working at once.{' '}
        {type === 'fernet' && 'The service rejects catches that are encrypted with it. '}
        The new {what} is shown once.
      </p>
      <Form
        submit={`Replace the ${what}`}
        busy="Replacing…"
        isDangerous
        ifUnknown={`If so, the old ${what} no longer works. Replace it again.`}
        onSubmit={async () => {
          const { password, fernetKey, apiKey }: LoginSecrets = await request<LoginSecrets>((client) =>
            client.users.reset(user.name, type),
          )
          onClose()
          reveal(user.name, { password, fernetKey, apiKey })
          announce(`Replaced the ${what} of ${user.name}.`)
        }}
        onCancel={onClose}
      />
    </Dialog>
  )
}

function ReadKey({ user, onClose }: TaskProps) {
  const { requestWith, reveal, admin } = usePage()
  return (
    <Dialog title={`Show the Fernet key of ${user.name}`} onEscape={onClose}>
      <p>Enter your own password. The audit log records that you read the key.</p>
      <Form
        submit="Show the key"
        busy="Checking…"
        check={({ password }) => ({ password: password ? undefined : 'Enter your password.' })}
        onSubmit={async ({ password = '' }) => {
          const { fernetKey } = await requestWith(password, (client) => client.keys.get(user.name))
          onClose()
          reveal(user.name, { fernetKey })
        }}
        onCancel={onClose}
      >
        <Field
          name="password"
          label={`Password of ${admin.username}`}
          type="password"
          autocomplete="current-password"
          isFirst
        />
      </Form>
    </Dialog>
  )
}

function DeletePlayer({ user, onClose }: TaskProps) {
  const { request, announce, removals } = usePage()
  return (
    <Dialog title={`Delete ${user.name}`} onEscape={onClose}>
      <p>
        This deletes the account and all catches of {user.name} in every gamemode. Only a backup or an export can
        restore them.
      </p>
      <Form
        submit={`Delete ${user.name}`}
        busy="Deleting…"
        isDangerous
        check={checkConfirmation(user.name)}
        ifUnknown="Check the list of players before you try again."
        onSubmit={async () => {
          await removals.flush()
          await request((client) => client.users.delete(user.name))
          onClose()
          openView(ALL_PLAYERS)
          announce(`Deleted ${user.name}.`)
        }}
        onCancel={onClose}
      >
        <Confirmation expected={user.name} />
      </Form>
    </Dialog>
  )
}
