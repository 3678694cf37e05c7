import { useState } from 'preact/hooks'
import type { AppState } from './api-types.ts'
import type { Connection } from './connection.ts'
import { ProblemText, useAppTask } from './parts.tsx'

interface PasswordProps extends Pick<Connection, 'request'> {
  readonly account: NonNullable<AppState['account']>
}

const FIELDS = [
  { name: 'password', label: 'Old password', autocomplete: 'current-password' },
  { name: 'newPassword', label: 'New password, at least 8 characters', autocomplete: 'new-password' },
] as const

/** Lets the player choose another password. */
export function Password({ account: { user }, request }: PasswordProps) {
  const { isBusy, problem, run } = useAppTask()
  const [isDone, setDone] = useState(false)
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const values = new FormData(form)
    setDone(false)
    void run(async () => {
      const [password, newPassword] = FIELDS.map(({ name }) => String(values.get(name) ?? ''))
      await request('password', { password: password ?? '', newPassword: newPassword ?? '' })
      form.reset()
      setDone(true)
    })
  }
  return (
    <section class="panel" aria-labelledby="password-title">
      <h2 id="password-title">Password of {user}</h2>
      <form class="form" onSubmit={send} aria-busy={isBusy}>
        {/* Password managers need the name. */}
        <input class="visually-hidden" tabIndex={-1} aria-hidden="true" autocomplete="username" value={user} readOnly />
        {FIELDS.map(({ label, ...field }) => (
          <div key={field.name} class="field">
            <label for={field.name}>{label}</label>
            <input {...field} id={field.name} type="password" required />
          </div>
        ))}
        {problem && <ProblemText problem={problem} />}
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? 'Changing…' : 'Change the password'}
        </button>
        <p role="status">{isDone && 'You have a new password. You stay logged in on this computer.'}</p>
      </form>
    </section>
  )
}
