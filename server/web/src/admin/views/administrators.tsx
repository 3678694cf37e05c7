import type { Administrator, AdminRole } from '@fish-crab/sdk/admin'
import { ACCOUNT_LIMITS, isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { useState } from 'preact/hooks'
import { formatDateTime } from '../../parts/format.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Choice, Confirmation, checkConfirmation, Field, Form } from '../parts/form.tsx'
import { LoadNotice, useLoad } from '../parts/load.tsx'
import { Title, usePage } from '../parts/page.tsx'
import { checkNewPassword } from './own-password.tsx'
import { NewPasswordDialog } from './secrets.tsx'

const ROLES: readonly (readonly [AdminRole, string])[] = [
  ['admin', 'admin'],
  ['superadmin', 'superadmin'],
]

/** The view of the administrators. Only superadmins see the list. */
export function Administrators() {
  const { admin } = usePage()
  if (admin.role === 'superadmin') return <List />
  return (
    <>
      <Title>Administrators</Title>
      <p class="panel">Only superadmins manage administrators. You are signed in as {admin.role}.</p>
    </>
  )
}

function List() {
  const { request, admin } = usePage()
  const [isCreating, setCreating] = useState(false)
  const [removed, setRemoved] = useState<Administrator>()
  const [reset, setReset] = useState<Administrator>()
  const loaded = useLoad('administrators', () => request((client) => client.admins.list()))
  const superadmins = loaded.content?.admins.filter(({ role }) => role === 'superadmin').length
  return (
    <>
      <Title
        actions={
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            New administrator
          </button>
        }
      >
        Administrators
      </Title>
      <LoadNotice loaded={loaded} what="the administrators" />
      {loaded.content && (
        <table class="panel table administrators">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Role</th>
              <th scope="col">Created</th>
              <th scope="col">
                <span class="visually-hidden">Tasks</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {loaded.content.admins.map((one) => (
              <tr key={one.username}>
                <th scope="row">
                  {one.username}
                  {one.username === admin.username && <span class="quiet"> (you)</span>}
                </th>
                <td>{one.role}</td>
                <td class="when">
                  <time dateTime={one.createdAt}>{formatDateTime(one.createdAt)}</time>
                </td>
                <td>
                  <div class="actions">
                    {one.username !== admin.username && (
                      <button
                        type="button"
                        aria-label={`New password for ${one.username}`}
                        onClick={() => setReset(one)}
                      >
                        New password
                      </button>
                    )}
                    {(one.role !== 'superadmin' || superadmins !== 1) && (
                      <button
                        type="button"
                        class="danger"
                        aria-label={`Remove ${one.username}`}
                        onClick={() => setRemoved(one)}
                      >
                        Remove
                      </button>
                    )}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="hint">
        If nobody can sign in, stop the server and run:{' '}
        <code>fish-cli admin reset-password NAME --storage file:./data</code>
      </p>
      {reset && <ResetPassword username={reset.username} onClose={() => setReset(undefined)} />}
      {isCreating && <NewAdministrator onDone={loaded.reload} onClose={() => setCreating(false)} />}
      {removed && (
        <RemoveAdministrator removed={removed} onDone={loaded.reload} onClose={() => setRemoved(undefined)} />
      )}
    </>
  )
}

interface TaskProps {
  readonly onDone: () => void
  readonly onClose: () => void
}

function ResetPassword({ username, onClose }: Pick<TaskProps, 'onClose'> & Pick<Administrator, 'username'>) {
  const { request } = usePage()
  const [password, setPassword] = useState<string>()
  if (password !== undefined) return <NewPasswordDialog username={username} password={password} onDone={onClose} />
  return (
    <Dialog title={`Replace the password of ${username}`} onEscape={onClose}>
      <p>The service generates a new password. The old password and all sessions of {username} end at once.</p>
      <Form
        submit="Replace"
        busy="Replacing…"
        check={() => ({})}
        ifUnknown="If the password was replaced, replace it again."
        onSubmit={async () => {
          const created = await request((client) => client.admins.resetPassword(username))
          setPassword(created.password)
        }}
        onCancel={onClose}
      >
        {null}
      </Form>
    </Dialog>
  )
}

function NewAdministrator({ onDone, onClose }: TaskProps) {
  const { request, announce } = usePage()
  return (
    <Dialog title="New administrator" onEscape={onClose}>
      <Form
        submit="Create"
        busy="Creating…"
        check={(values) => ({
          username: isUserName(values.username?.trim() ?? '') ? undefined : `A name must be ${USER_NAME_RULE}.`,
          ...checkNewPassword(values),
        })}
        ifUnknown="Check the list before you try again."
        onSubmit={async ({ username = '', password = '', role }) => {
          const created = await request((client) =>
            client.admins.create({ username: username.trim(), password, role: role as AdminRole }),
          )
          onClose()
          onDone()
          announce(`Created the ${created.role} ${created.username}.`)
        }}
        onCancel={onClose}
      >
        <Field name="username" label="Name" maxLength={32} isFirst />
        <Field
          name="password"
          label="Password"
          type="password"
          autocomplete="new-password"
          hint={`Use at least ${ACCOUNT_LIMITS.minPasswordLength} characters. The password cannot be shown later.`}
        />
        <Field name="repeated" label="Password again" type="password" autocomplete="new-password" />
        <Choice
          name="role"
          label="Role"
          value="admin"
          options={ROLES}
          hint="A superadmin also deletes players and manages administrators."
        />
      </Form>
    </Dialog>
  )
}

function RemoveAdministrator({ removed, onDone, onClose }: TaskProps & { readonly removed: Administrator }) {
  const { request, announce, admin } = usePage()
  const { username } = removed
  return (
    <Dialog title={`Remove the administrator ${username}`} onEscape={onClose}>
      <p>
        {username === admin.username ? 'This is your account. Your sessions end at once.' : 'Its sessions end at once.'}{' '}
        The audit log keeps its entries.
      </p>
      <Form
        submit={`Remove ${username}`}
        busy="Removing…"
        isDangerous
        check={checkConfirmation(username)}
        ifUnknown="Check the list before you try again."
        onSubmit={async () => {
          await request((client) => client.admins.delete(username))
          onClose()
          onDone()
          announce(`Removed ${username}.`)
        }}
        onCancel={onClose}
      >
        <Confirmation expected={username} />
      </Form>
    </Dialog>
  )
}
