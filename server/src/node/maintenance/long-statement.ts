import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { MaintenanceError } from './maintenance-error.ts'

/** A statement that reads a whole store. */
export interface LongStatement {
  /** A store that is open for reading. */
  readonly db: DatabaseSync
  /** Its file. */
  readonly file: string
  /** Its size in bytes. */
  readonly size: number
  readonly sql: string
  readonly parameters?: readonly string[]
  /** Called many times a second while it runs. */
  readonly onTick?: () => void
  readonly signal?: AbortSignal | undefined
}

/** Below this, in bytes, it takes less time than a process takes to start. */
const SMALL = 16 * 1024 * 1024
const TICK_MS = 50
/** How long the signal of a person may take from a child of this process to this process itself. */
const SIGNAL_MS = 200

// Only built-in modules, and nothing to find on a disk: it also runs out of a bundle.
const PROGRAM = `
const { DatabaseSync } = require('node:sqlite')
const [file, sql, ...parameters] = process.argv.slice(1)
let answer
try {
  const db = new DatabaseSync(file, { readOnly: true })
  db.exec('PRAGMA busy_timeout = 5000')
  answer = { value: Object.values(db.prepare(sql).get(...parameters) ?? {})[0] ?? null }
} catch ({ message, code, errcode }) {
  answer = { error: { message, code, errcode } }
}
process.stdout.write(JSON.stringify(answer))
`

/**
 * Runs a statement and answers the first value of its first row. That of a large store runs in a process of its own:
 * SQLite does it in one go that nothing in this process could end, no signal either; a process can be ended.
 * @throws the reason of the signal, at once; what SQLite throws
 */
export async function runLong({
  db,
  file,
  size,
  sql,
  parameters = [],
  onTick,
  signal,
}: LongStatement): Promise<unknown> {
  signal?.throwIfAborted()
  const child = size < SMALL ? undefined : await start([file, sql, ...parameters])
  if (!child) return Object.values(db.prepare(sql).get(...parameters) ?? {})[0] ?? null
  const end = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', end)
  const ticking = onTick && setInterval(onTick, TICK_MS)
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  try {
    if (signal?.aborted) end()
    await once(child, 'close')
  } finally {
    clearInterval(ticking)
    signal?.removeEventListener('abort', end)
  }
  signal?.throwIfAborted()
  return answerIn(text, signal)
}

/** Starts the process; nothing where none may be started. */
async function start(parameters: readonly string[]) {
  try {
    const child = spawn(process.execPath, ['-e', PROGRAM, '--', ...parameters], {
      // Secrets are none of its business. Windows starts nothing without this one.
      env: process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot },
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    })
    await once(child, 'spawn')
    return child
  } catch {
    return undefined
  }
}

async function answerIn(text: string, signal: AbortSignal | undefined): Promise<unknown> {
  if (text === '') {
    // Ctrl-C goes to all processes of a terminal, and this one may be the last to hear of it.
    await setTimeout(SIGNAL_MS, undefined, signal ? { signal } : {}).catch(() => {})
    signal?.throwIfAborted()
    throw new MaintenanceError('unavailable', 'The process that read the store was ended. Do it again.')
  }
  const { value, error } = JSON.parse(text) as { value?: unknown; error?: { message: string } }
  if (error) throw Object.assign(new Error(error.message), error)
  return value
}
