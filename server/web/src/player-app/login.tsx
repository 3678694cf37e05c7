import type { AppState, LoginBody, LoginResult } from './api-types.ts'
import { AppError, type Connection } from './connection.ts'
import { useDrop } from './drop.ts'
import { ProblemText, useAppTask } from './parts.tsx'

/** A login file has less than 1 KB. The page reads no other file that a player drops by mistake. */
const MAX_FILE_BYTES = 64 * 1024

interface LoginProps {
  readonly request: Connection['request']
  /** The account whose login is renewed. */
  readonly account: AppState['account']
  /** Called after a login, with its result if the player used a login file. */
  readonly onDone: (fromFile?: LoginResult) => void
}

export function Login({ request, account, onDone }: LoginProps) {
  return (
    <section class="login" aria-labelledby="login">
      <h1 id="login">{account === null ? 'Log in' : 'Log in again'}</h1>
      <div class="login-ways">
        <LoginFile login={async (file) => onDone(await request('login', { file }))} />
        <LoginForm
          account={account}
          login={async (typed) => {
            await request('login', typed)
            onDone()
          }}
        />
      </div>
    </section>
  )
}

function LoginFile({ login }: { readonly login: (text: string) => Promise<void> }) {
  const { isBusy, problem, run } = useAppTask()
  const use = (file: File | undefined) => {
    if (file === undefined) return
    void run(async () => {
      if (file.size > MAX_FILE_BYTES) {
        throw new AppError({ message: `${file.name} is too large for a login file.`, hint: 'Choose another file.' })
      }
      await login(await file.text())
    })
  }
  const isOver = useDrop((dropped) => use(dropped.files[0]))
  return (
    <div class="panel">
      <h2>With your login file</h2>
      <label class={isOver ? 'drop over' : 'drop'} aria-busy={isBusy}>
        <span>{isBusy ? 'Logging in…' : 'Drop the file on this page, or choose it.'}</span>
        <input
          type="file"
          accept=".json,application/json"
          onChange={({ currentTarget }) => {
            use(currentTarget.files?.[0])
            // Choosing the same file again is another attempt.
            currentTarget.value = ''
          }}
        />
      </label>
      {problem && <ProblemText problem={problem} />}
      <p class="hint">The person who runs the service gives you this file. Its name ends with .json.</p>
    </div>
  )
}

const FIELDS = [
  { name: 'service', label: 'Address of the service', autocomplete: 'url', placeholder: 'https://fish.example.com' },
  { name: 'name', label: 'Name', autocomplete: 'username', placeholder: 'Alex' },
  { name: 'password', label: 'Password', autocomplete: 'current-password', type: 'password' },
] as const

interface LoginFormProps extends Pick<LoginProps, 'account'> {
  readonly login: (typed: Exclude<LoginBody, { file: string }>) => Promise<void>
}

function LoginForm({ account, login }: LoginFormProps) {
  const { isBusy, problem, run } = useAppTask()
  const known: Readonly<Record<string, string>> =
    account === null ? {} : { service: account.service, name: account.user }
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const values = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: (typeof FIELDS)[number]['name']) => String(values.get(name) ?? '')
    void run(() => login({ service: text('service').trim(), name: text('name').trim(), password: text('password') }))
  }
  return (
    <form class="panel form" onSubmit={send} aria-busy={isBusy}>
      <h2>With your name and password</h2>
      {FIELDS.map(({ label, ...field }) => (
        <div key={field.name} class="field">
          <label for={field.name}>{label}</label>
          <input
            {...field}
            id={field.name}
            defaultValue={known[field.name]}
            required
            autocapitalize="off"
            spellcheck={false}
          />
        </div>
      ))}
      {problem && <ProblemText problem={problem} />}
      <button type="submit" class="primary" aria-disabled={isBusy}>
        {isBusy ? 'Logging in…' : 'Log in'}
      </button>
    </form>
  )
}
