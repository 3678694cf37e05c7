import { useId, useState } from 'preact/hooks'
import { Brand } from '../parts/brand.tsx'
import { LeavePrompt } from '../parts/leave-prompt.ts'
import { formatLoginFile, type LoginFile, loginFileName } from '../parts/login-file.ts'
import { saveFile } from '../parts/save-file.ts'
import { useTask } from '../parts/task.ts'
import { type Choice, newNonce, Refusal, type redeem } from './redeem.ts'

interface LoginPageProps {
  /** The fragment of the link. */
  readonly token: string
  readonly redeem: typeof redeem
}

/** Redeems a login link or an invitation when the player presses the button, and never before. */
export function LoginPage({ token, redeem }: LoginPageProps) {
  const [file, setFile] = useState<LoginFile>()
  return (
    <main class="login-page">
      <Brand />
      {token === '' ? (
        <section class="panel">
          <h1>This link is incomplete</h1>
          <p>Open the link again as you received it, or ask an administrator for a new link.</p>
        </section>
      ) : file ? (
        <Finished file={file} />
      ) : (
        <Choose token={token} redeem={redeem} onDone={setFile} />
      )}
    </main>
  )
}

/** The first letter of a token tells whether the link creates a player. */
const isInvitation = (token: string) => token.startsWith('i')

function Choose({ token, redeem, onDone }: LoginPageProps & { readonly onDone: (file: LoginFile) => void }) {
  const isNew = isInvitation(token)
  // The same nonce for each press, so that a repetition after a lost response gets the same login file.
  const [nonce] = useState(newNonce)
  const { isBusy, problem, run } = useTask(describe)
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [nameId, passwordId, hintId] = [useId(), useId(), useId()]
  return (
    <section class="panel">
      <h1>{isNew ? 'Create your account' : 'Log in with this link'}</h1>
      <p>
        {isNew
          ? 'Choose your name and a password. Then save your login file, which the program reads.'
          : 'You get a new password and a login file, which the program reads. Computers on which you are logged in must log in again.'}
      </p>
      <form
        class="form"
        noValidate
        aria-busy={isBusy}
        onSubmit={(event) => {
          event.preventDefault()
          const choice: Choice = { ...(isNew ? { name } : {}), ...(password === '' ? {} : { password }) }
          void run(async () => onDone(await redeem(token, nonce, choice)))
        }}
      >
        {isNew && (
          <div class="field">
            <label for={nameId}>Name in the game</label>
            <input
              id={nameId}
              value={name}
              maxLength={32}
              autocomplete="username"
              autocapitalize="off"
              spellcheck={false}
              onInput={({ currentTarget }) => setName(currentTarget.value.trim())}
            />
          </div>
        )}
        <div class="field">
          <label for={passwordId}>Password</label>
          <input
            id={passwordId}
            type="password"
            value={password}
            maxLength={256}
            autocomplete="new-password"
            aria-describedby={hintId}
            onInput={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          <p id={hintId} class="hint">
            At least 8 characters. If you leave it empty, you get a password that nobody can guess.
          </p>
        </div>
        {problem !== undefined && (
          <p class="notice problem" role="alert">
            {problem}
          </p>
        )}
        <div class="form-buttons">
          <button type="submit" class="primary" aria-disabled={isBusy}>
            {isBusy ? 'Please wait…' : isNew ? 'Create the account' : 'Log in'}
          </button>
        </div>
      </form>
    </section>
  )
}

function describe(error: unknown): string {
  if (error instanceof Refusal) return error.message
  return 'The service did not respond. Keep this page open, and press the button again within ten minutes.'
}

function Finished({ file }: { readonly file: LoginFile }) {
  const [isSaved, setSaved] = useState(false)
  const save = () => {
    saveFile(loginFileName(file.name), new Blob([formatLoginFile(file)], { type: 'application/json' }))
    setSaved(true)
  }
  return (
    <section class="panel">
      {!isSaved && <LeavePrompt />}
      <h1>Welcome, {file.name}</h1>
      <p>
        Save your login file now. This page shows it only once. Drop the file on the page of the program, or run{' '}
        <code>fish-cli login --from FILE</code>.
      </p>
      <div class="form-buttons">
        <button type="button" class="primary" onClick={save}>
          Save the login file
        </button>
      </div>
      <p role="status">{isSaved && 'Saved. Keep the file secret, and delete it after you have logged in.'}</p>
      <p>
        <a href={`/@${encodeURIComponent(file.name)}`}>Open your collection</a>
      </p>
    </section>
  )
}
