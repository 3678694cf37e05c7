import type { ComponentChildren } from 'preact'
import { CopyButton } from '../../parts/copy-button.tsx'
import { LeavePrompt } from '../../parts/leave-prompt.ts'
import { Dialog } from './dialog.tsx'

interface LinkDialogProps {
  readonly title: string
  readonly url: string
  readonly onDone: () => void
  readonly children: ComponentChildren
}

/** Shows a secret link once. Only the button closes the dialog. */
export function LinkDialog({ title, url, onDone, children }: LinkDialogProps) {
  return (
    <Dialog title={title}>
      <LeavePrompt />
      <p>{children}</p>
      <p>
        <code class="link">{url}</code>
      </p>
      <p class="hint">The link cannot be shown again.</p>
      <div class="form-buttons">
        <CopyButton text={url} label="Copy the link" />
        <button type="button" class="primary" onClick={onDone}>
          I have sent it
        </button>
      </div>
    </Dialog>
  )
}
