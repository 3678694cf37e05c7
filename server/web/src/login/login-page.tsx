import { useId, useState } from 'preact/hooks'
import { saveOwnName } from '../data/own-name.ts'
import { Brand } from '../parts/brand.tsx'
import { LeavePrompt } from '../parts/leave-prompt.ts'
import { formatLoginFile, type LoginFile, loginFileName } from '../parts/login-file.ts'
import { saveFile } from '../parts/save-file.ts'
import { useTask } from '../parts/task.ts'
import { loginTexts as texts } from '../texts/login.tsx'
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
          <h1>{texts.incompleteTitle}</h1>
          <p>{texts.incomplete}</p>
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
  const { title, text, action } = isNew ? texts.invitation : texts.login
  // The same nonce for each press, so that a repetition after a lost response gets the same login file.
  const [nonce] = useState(newNonce)
  const { isBusy, problem, run } = useTask(describe)
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [nameId, passwordId, hintId] = [useId(), useId(), useId()]
  return (
    <section class="panel">
      <h1>{title}</h1>
      <p>{text}</p>
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
            <label for={nameId}>{texts.name}</label>
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
          <label for={passwordId}>{texts.password}</label>
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
            {texts.passwordHint}
          </p>
        </div>
        {problem !== undefined && (
          <p class="notice problem" role="alert">
            {problem}
          </p>
        )}
        <div class="form-buttons">
          <button type="submit" class="primary" aria-disabled={isBusy}>
            {isBusy ? texts.busy : action}
          </button>
        </div>
      </form>
    </section>
  )
}

function describe(error: unknown): string {
  if (error instanceof Refusal) return error.message
  return texts.lost
}

function Finished({ file }: { readonly file: LoginFile }) {
  const [isSaved, setSaved] = useState(false)
  const save = () => {
    saveFile(loginFileName(file.name), new Blob([formatLoginFile(file)], { type: 'application/json' }))
    saveOwnName(file.name)
    setSaved(true)
  }
  return (
    <section class="panel">
      {!isSaved && <LeavePrompt />}
      <h1>{texts.welcome(file.name)}</h1>
      <p>{texts.save}</p>
      <div class="form-buttons">
        <button type="button" class="primary" onClick={save}>
          {texts.saveAction}
        </button>
      </div>
      <p role="status">{isSaved && texts.saved}</p>
      <p>
        <a href={`/@${encodeURIComponent(file.name)}`}>{texts.open}</a>
      </p>
    </section>
  )
}
