import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Credentials } from '../data/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Field, Form } from '../parts/form.tsx'

interface SignInProps {
  /** Whether the administrator has just signed out. */
  readonly isOver: boolean
  readonly signIn: (credentials: Credentials) => Promise<void>
}

export function SignIn({ isOver, signIn }: SignInProps) {
  const form = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    document.title = 'Sign in · Administration'
    form.current?.querySelector('input')?.focus()
  }, [])
  return (
    <div class="sign-in panel" ref={form}>
      <h1>Sign in</h1>
      <p class="quiet">For administrators of this service.</p>
      {isOver && (
        <p role="status" class="notice done">
          You have signed out.
        </p>
      )}
      <SignInForm signIn={signIn} />
      <p class="hint">The browser stores no secret, so reloading or leaving this page signs you out.</p>
    </div>
  )
}

interface SignInAgainProps extends Omit<SignInProps, 'isOver'> {
  readonly username: string
  readonly onSignOut: () => void
}

/** The dialog for an expired session. It opens over the current view, which keeps its state. */
export function SignInAgain({ username, signIn, onSignOut }: SignInAgainProps) {
  return (
    <Dialog title="Your session has expired">
      <p>Sign in again to continue. The page keeps everything you typed.</p>
      <SignInForm username={username} signIn={signIn} />
      <p class="hint">
        Not {username}?{' '}
        <button type="button" class="link" onClick={onSignOut}>
          Sign out
        </button>
      </p>
    </Dialog>
  )
}

interface SignInFormProps extends Omit<SignInProps, 'isOver'> {
  readonly username?: string
}

function SignInForm({ username, signIn }: SignInFormProps) {
  return (
    <Form
      submit="Sign in"
      busy="Signing in…"
      limited="failed logins from your network"
      check={({ username = '', password = '' }) => ({
        username: username.trim() === '' ? 'Enter your name.' : undefined,
        password: password === '' ? 'Enter your password.' : undefined,
      })}
      onSubmit={({ username = '', password = '' }) => signIn({ username: username.trim(), password })}
    >
      <Field
        name="username"
        label="Name"
        autocomplete="username"
        maxLength={32}
        value={username}
        readOnly={username !== undefined}
      />
      <Field
        name="password"
        label="Password"
        type="password"
        autocomplete="current-password"
        isFirst={username !== undefined}
      />
    </Form>
  )
}
