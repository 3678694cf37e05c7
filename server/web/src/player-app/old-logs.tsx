import { useState } from 'preact/hooks'
import type { Connection } from './connection.ts'
import { AppError } from './connection.ts'
import { useDrop } from './drop.ts'
import { type LogUpload, logsIn, logsOf } from './log-files.ts'
import { ProblemText, useAppTask } from './parts.tsx'

interface OldLogsProps {
  readonly connection: Pick<Connection, 'request' | 'upload'>
  /** The progress of the current operation. */
  readonly progress: string | null
}

/** Adds catches from before the first start. The app shows the number of new catches, and prompts for a confirmation. */
export function OldLogs({ connection: { request, upload }, progress }: OldLogsProps) {
  const { isBusy, problem, run } = useAppTask()
  const [result, setResult] = useState<string>()
  const [uploadText, setUploadText] = useState<string>()
  const use = (find: () => Promise<readonly LogUpload[]>) =>
    run(async () => {
      setResult(undefined)
      const logs = await find()
      if (logs.length === 0) {
        throw new AppError({ message: 'No logs found.', hint: 'Choose the folder “logs” of the game.' })
      }
      const batch = crypto.randomUUID()
      const skipped: string[] = []
      try {
        for (const [index, log] of logs.entries()) {
          setUploadText(`Reading file ${index + 1} of ${logs.length}`)
          if (!(await upload(batch, log))) skipped.push(log.file.name)
        }
      } finally {
        setUploadText(undefined)
      }
      const { message } = await request('old-logs', { batch })
      const busy =
        skipped.length === 0 ? '' : ` The game is writing to these logs, so they were skipped: ${skipped.join(', ')}.`
      setResult(message + busy)
    })
  const isOver = useDrop((dropped) => void use(() => logsIn(dropped)))
  const choose = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    const chosen = logsOf(currentTarget.files ?? [])
    // Choosing the same files again is another attempt.
    currentTarget.value = ''
    void use(async () => chosen)
  }
  return (
    <section class="old-logs panel" aria-labelledby="old-logs">
      <h2 id="old-logs">Old logs</h2>
      <p>Catches from before your first start are in the old logs of your games.</p>
      <button
        type="button"
        aria-disabled={isBusy}
        onClick={() =>
          run(async () => {
            setResult(undefined)
            setResult((await request('old-logs', {})).message)
          })
        }
      >
        Read the logs of my games
      </button>
      <div class={isOver ? 'drop over' : 'drop'} aria-busy={isBusy}>
        <span>Or drop logs or a folder on this page, or choose them.</span>
        <label>
          Files
          <input type="file" multiple accept=".log,.gz,.txt" onChange={choose} />
        </label>
        <label>
          Folder
          <input
            type="file"
            onChange={choose}
            ref={(input) => {
              if (input) input.webkitdirectory = true
            }}
          />
        </label>
      </div>
      <p role="status">{uploadText ?? progress ?? (isBusy ? 'Reading…' : result)}</p>
      {problem && <ProblemText problem={problem} />}
    </section>
  )
}
