import { useEffect, useMemo, useState } from 'preact/hooks'
import { publicUrl } from '../../data/site.ts'
import { LeavePrompt } from '../../parts/leave-prompt.ts'
import { formatLoginFile, type LoginSecrets } from '../../parts/login-file.ts'
import { isOnlyLocal } from '../data/local-address.ts'
import { Dialog } from '../parts/dialog.tsx'

const LABELS: Readonly<Record<keyof LoginSecrets, string>> = {
  password: 'Password',
  fernetKey: 'Fernet key',
  apiKey: 'API key',
}

interface SecretsDialogProps {
  readonly user: string
  readonly secrets: LoginSecrets
  readonly onDone: () => void
}

/** Shows secrets once. Only the button closes the dialog, and the browser prompts before the user leaves the page. */
export function SecretsDialog({ user, secrets, onDone }: SecretsDialogProps) {
  const service = publicUrl()
  const file = useMemo(
    () =>
      URL.createObjectURL(
        new Blob([formatLoginFile({ service, name: user, ...secrets })], {
          type: 'application/octet-stream',
        }),
      ),
    [service, user, secrets],
  )
  useEffect(() => () => URL.revokeObjectURL(file), [file])
  const fileName = `${user.toLowerCase()}.json`
  const given = (Object.keys(LABELS) as (keyof LoginSecrets)[]).flatMap((field) => {
    const value = secrets[field]
    return value === undefined ? [] : [[LABELS[field], value] as const]
  })
  return (
    <Dialog title={`Secrets of ${user}`}>
      <LeavePrompt />
      <p>Save them now: they cannot be shown again.</p>
      <dl class="secrets">
        {given.map(([label, value]) => (
          <Secret key={label} label={label} value={value} />
        ))}
      </dl>
      <p class="hint">
        The player logs in with the login file: <code>fish-cli login --from {fileName}</code>.
        {secrets.password === undefined && ' The command prompts for the password.'}
      </p>
      {isOnlyLocal(service) && (
        <p class="notice">
          The login file names {service}, which only this machine can reach. For players on other machines, set
          FISH_PUBLIC_URL of the server.
        </p>
      )}
      <div class="form-buttons">
        <a class="button primary" href={file} download={fileName}>
          Download login file
        </a>
        <button type="button" onClick={onDone}>
          I have saved them
        </button>
      </div>
    </Dialog>
  )
}

interface NewPasswordDialogProps {
  readonly username: string
  readonly password: string
  readonly onDone: () => void
}

/** Shows the new password of an administrator once. */
export function NewPasswordDialog({ username, password, onDone }: NewPasswordDialogProps) {
  return (
    <Dialog title={`New password of ${username}`}>
      <LeavePrompt />
      <p>Save it now: it cannot be shown again.</p>
      <dl class="secrets">
        <Secret label="Password" value={password} />
      </dl>
      <div class="form-buttons">
        <button type="button" class="primary" onClick={onDone}>
          I have saved it
        </button>
      </div>
    </Dialog>
  )
}

function Secret({ label, value }: { readonly label: string; readonly value: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      // Ignore the failure if the browser forbids copying: the user can still select the text.
      () => {},
    )
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <code>{value}</code>
        {/* Browsers offer the clipboard only to pages served over HTTPS or from localhost. */}
        {navigator.clipboard && (
          <button type="button" aria-label={`Copy the ${label}`} onClick={copy}>
            {isCopied ? 'Copied' : 'Copy'}
          </button>
        )}
        <span class="visually-hidden" role="status">
          {isCopied && `The ${label} is copied.`}
        </span>
      </dd>
    </div>
  )
}
