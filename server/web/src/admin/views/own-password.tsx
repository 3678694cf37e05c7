import { ACCOUNT_LIMITS } from '@fish-crab/sdk/constants'
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { Field, Form } from '../parts/form.tsx'
import { usePage } from '../parts/page.tsx'

const { minPasswordLength: shortest, passwordLength: longest } = ACCOUNT_LIMITS

/** The mistakes of a new password that was typed twice. */
export function checkNewPassword({ password = '', repeated }: Readonly<Record<string, string>>) {
  return {
    password:
      password.length < shortest || password.length > longest
        ? `A password must have ${shortest} to ${longest} characters.`
        : undefined,
    repeated: repeated === password ? undefined : 'The passwords differ.',
  }
}

/** The button with which administrators change their own password. */
export function OwnPassword() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Change password
      </button>
      {isOpen && <ChangePassword onClose={() => setOpen(false)} />}
    </>
  )
}

function ChangePassword({ onClose }: { readonly onClose: () => void }) {
  const { request, announce } = usePage()
  return (
    <Dialog title="Change your password" onEscape={onClose}>
      <p>All your sessions end, also this one. Then sign in with the new password.</p>
      <Form
        submit="Change"
        busy="Changing…"
        check={(values) => ({ old: values.old ? undefined : 'Type your password.', ...checkNewPassword(values) })}
        ifUnknown="Try to sign in with the new password."
        onSubmit={async ({ old = '', password = '' }) => {
          await request((client) => client.changePassword({ password: old, newPassword: password }))
          onClose()
          announce('Your password is changed. The next task prompts for it.')
        }}
        onCancel={onClose}
      >
        <Field name="old" label="Your password" type="password" autocomplete="current-password" isFirst />
        <Field name="password" label="New password" type="password" autocomplete="new-password" />
        <Field name="repeated" label="New password again" type="password" autocomplete="new-password" />
      </Form>
    </Dialog>
  )
}
