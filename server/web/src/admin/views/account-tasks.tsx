import type { LoginLink, UserDetails } from '@fish-crab/sdk/admin'
import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { useState } from 'preact/hooks'
import { formatDateTime } from '../../parts/format.ts'
import { playerView } from '../data/location.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { LinkDialog } from '../parts/link-dialog.tsx'
import { openView, usePage } from '../parts/page.tsx'

interface TaskProps {
  readonly user: UserDetails
  readonly onClose: () => void
  /** Called after a change of the user. */
  readonly onDone: () => void
}

const TASKS = { 'login-link': CreateLink, rename: Rename, suspend: Suspend }

/** A change of an account that replaces no single secret. */
export type AccountTaskName = keyof typeof TASKS

export const isAccountTask = (task: string | undefined): task is AccountTaskName => task !== undefined && task in TASKS

export function AccountTask({ name, ...props }: TaskProps & { readonly name: AccountTaskName }) {
  const Task = TASKS[name]
  return <Task {...props} />
}

/** The lifetimes of links, in hours. */
export const LIFETIMES = [
  ['72', '3 days'],
  ['24', '1 day'],
  ['168', '7 days'],
  ['720', '30 days'],
] as const

function CreateLink({ user, onClose }: TaskProps) {
  const { request } = usePage()
  const [link, setLink] = useState<LoginLink>()
  if (link) {
    return (
      <LinkDialog title={`Login link of ${user.name}`} url={link.url} onDone={onClose}>
        Send it to {user.name} alone. It works once, until {formatDateTime(link.expiresAt)}.
      </LinkDialog>
    )
  }
  return (
    <Dialog title={`Create a login link for ${user.name}`} onEscape={onClose}>
      <p>
        With the link, {user.name} chooses a password and gets a login file. The old password and the old API key then
        stop working. The Fernet key stays. A new link replaces an earlier one.
      </p>
      <Form
        submit="Create the link"
        busy="Creating…"
        ifUnknown="Create another link, which replaces it."
        onSubmit={async ({ hours = '72' }) => {
          setLink(await request((client) => client.users.createLoginLink(user.name, { hours: Number(hours) })))
        }}
        onCancel={onClose}
      >
        <Choice name="hours" label="Works for" value="72" options={LIFETIMES} />
      </Form>
    </Dialog>
  )
}

function Rename({ user, onClose }: TaskProps) {
  const { request, announce, removals } = usePage()
  return (
    <Dialog title={`Rename ${user.name}`} onEscape={onClose}>
      <p>
        The keys and all catches stay. For 90 days, {user.name} also means the same player, and nobody else can take
        that name.
      </p>
      <Form
        submit="Rename"
        busy="Renaming…"
        check={({ name = '' }) => ({ name: isUserName(name.trim()) ? undefined : `A name must be ${USER_NAME_RULE}.` })}
        ifUnknown="Check the list of players before you try again."
        onSubmit={async ({ name = '' }) => {
          await removals.flush()
          const renamed = await request((client) => client.users.rename(user.name, name.trim()))
          onClose()
          openView(playerView(renamed.name))
          announce(`Renamed ${user.name} to ${renamed.name}.`)
        }}
        onCancel={onClose}
      >
        <Field name="name" label="New name" maxLength={32} isFirst hint={`${USER_NAME_RULE}.`} />
      </Form>
    </Dialog>
  )
}

const VISIBILITIES = [
  ['', 'Everybody still sees the collections'],
  ['hide', 'Hide the collections from everybody'],
] as const

function Suspend({ user, onClose, onDone }: TaskProps) {
  const { request, announce } = usePage()
  const { name, suspended } = user
  const change = async (text: string, send: () => Promise<unknown>) => {
    await send()
    onClose()
    onDone()
    announce(text)
  }
  if (suspended) {
    return (
      <Dialog title={`End the suspension of ${name}`} onEscape={onClose}>
        <p>{name} can log in and add catches again.</p>
        <Form
          submit="End the suspension"
          busy="Saving…"
          onSubmit={() =>
            change(`${name} is no longer suspended.`, () => request((client) => client.users.unsuspend(name)))
          }
          onCancel={onClose}
        />
      </Dialog>
    )
  }
  return (
    <Dialog title={`Suspend ${name}`} onEscape={onClose}>
      <p>
        {name} can then neither log in nor add catches. Nothing is removed, and the programs of the player keep new
        catches until the suspension ends.
      </p>
      <Form
        submit="Suspend"
        busy="Suspending…"
        isDangerous
        onSubmit={({ hide }) =>
          change(`Suspended ${name}.`, () => request((client) => client.users.suspend(name, { hide: hide === 'hide' })))
        }
        onCancel={onClose}
      >
        <Choice name="hide" label="Collections" value="" options={VISIBILITIES} />
      </Form>
    </Dialog>
  )
}
