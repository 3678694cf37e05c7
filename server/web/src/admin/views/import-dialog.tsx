import type { CreatedUser, NewUser } from '@fish-crab/sdk/admin'
import { downloadZip } from 'client-zip'
import { useEffect, useState } from 'preact/hooks'
import { publicUrl } from '../../data/site.ts'
import { formatNumber, plural } from '../../parts/format.ts'
import { LeavePrompt } from '../../parts/leave-prompt.ts'
import { formatLoginFile, loginFileName } from '../../parts/login-file.ts'
import { saveFile } from '../../parts/save-file.ts'
import { type Problem, problemOf } from '../data/problems.ts'
import { Dialog } from '../parts/dialog.tsx'
import { usePage } from '../parts/page.tsx'
import { ProblemText } from '../parts/problem-text.tsx'

/** The service creates at most this many players per request. */
const AT_ONCE = 500
const LOST = 'Download the login files of the players who were created.'

interface Progress {
  readonly created: readonly CreatedUser[]
  readonly failed: readonly { readonly name: string; readonly error: string }[]
  readonly isRunning: boolean
  readonly problem?: Problem
}

interface ImportDialogProps {
  readonly players: readonly NewUser[]
  readonly onDone: () => void
}

/**
 * Creates players, and offers their login files as one ZIP file. Only buttons close the dialog, and the browser prompts
 * before the administrator leaves the page without the file.
 */
export function ImportDialog({ players, onDone }: ImportDialogProps) {
  const { request } = usePage()
  const [stopping] = useState(() => new AbortController())
  const [{ created, failed, isRunning, problem }, setProgress] = useState<Progress>({
    ...{ created: [], failed: [] },
    isRunning: true,
  })
  const [isSaved, setSaved] = useState(false)

  useEffect(() => {
    const { signal } = stopping
    const show = (change: (before: Progress) => Partial<Progress>) =>
      setProgress((before) => ({ ...before, ...change(before) }))
    async function create(): Promise<void> {
      for (let at = 0; at < players.length; at += AT_ONCE) {
        const users = players.slice(at, at + AT_ONCE)
        await request(async (client) => {
          for await (const line of client.users.createMany(users, { signal })) {
            if (line.status === 'created') show((before) => ({ created: [...before.created, line] }))
            else show((before) => ({ failed: [...before.failed, line] }))
          }
        })
      }
    }
    create()
      .catch((error: unknown) => {
        if (signal.aborted) return
        const problem = problemOf(error, { now: Date.now(), ifUnknown: LOST })
        show(() => ({ problem }))
      })
      .finally(() => show(() => ({ isRunning: false })))
    return () => stopping.abort()
  }, [players, request, stopping])

  const total = players.length
  const done = created.length + failed.length
  return (
    <Dialog title={isRunning ? 'Creating players' : 'New players'}>
      {created.length > 0 && !isSaved && <LeavePrompt />}
      <p role="status">
        {isRunning
          ? `Created ${formatNumber(created.length)} of ${plural(total, 'player')}…`
          : `Created ${plural(created.length, 'player')}.${done < total ? ` The other ${formatNumber(total - done)} may exist without a login file. Import the list again to see which.` : ''}`}
      </p>
      <progress max={total} value={done} aria-label="Created players" />
      {problem && <ProblemText problem={problem} />}
      {failed.length > 0 && (
        <div class="notice problem">
          <div>
            <strong>{plural(failed.length, 'player was', 'players were')} not created:</strong>
            <ul>
              {failed.map(({ name, error }) => (
                <li key={name}>
                  {name}: {error}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      {!isRunning && created.length > 0 && <p>Download the login files now: they cannot be shown again.</p>}
      <p role="status">{isSaved && 'Give each player only their own file. Then delete the ZIP file.'}</p>
      <div class="form-buttons">
        {isRunning && (
          <button type="button" onClick={() => stopping.abort()}>
            Stop
          </button>
        )}
        {!isRunning && created.length > 0 && (
          <button type="button" class="primary" onClick={() => void save(created).then(() => setSaved(true))}>
            Download {plural(created.length, 'login file')}
          </button>
        )}
        {!isRunning && (
          <button type="button" onClick={onDone}>
            {created.length === 0 ? 'Close' : 'I have saved them'}
          </button>
        )}
      </div>
    </Dialog>
  )
}

/** Downloads the login files of players as one ZIP file. */
async function save(created: readonly CreatedUser[]): Promise<void> {
  const service = publicUrl()
  const files = created.map(({ name, password, fernetKey, apiKey }) => ({
    name: loginFileName(name),
    input: formatLoginFile({ service, name, password, fernetKey, apiKey }),
  }))
  saveFile('login-files.zip', await downloadZip(files).blob())
}
