import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Readable } from 'node:stream'
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
  /** The file that it writes, if any: empty or absent before. */
  readonly output?: string
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
 * SQLite does it in one go that nothing in this process could end, no signal either; a process can be ended. Where no
 * process can be started, or it cannot work, the statement runs in this one.
 * @throws the reason of the signal, at once; MaintenanceError `unavailable` when the process was ended; what SQLite throws
 */
export async function runLong(statement: LongStatement): Promise<unknown> {
  const { file, size, sql, parameters = [], output, signal } = statement
  signal?.throwIfAborted()
  const child = size < SMALL ? undefined : await start([file, sql, ...parameters])
  if (!child) return runHere(statement)
  const answer = answerIn(await textOf(child, statement))
  signal?.throwIfAborted()
  if (answer?.error) throw Object.assign(new Error(answer.error.message), answer.error)
  if (answer) return answer.value
  // Ctrl-C goes to all processes of a terminal, and this one may be the last to hear of it.
  await setTimeout(SIGNAL_MS, undefined, signal ? { signal } : {}).catch(() => {})
  signal?.throwIfAborted()
  // One that ended by itself is no Node that works here: it lacks a library, or is an app.
  if (child.signalCode === null && isEmpty(output)) return runHere(statement)
  throw new MaintenanceError('unavailable', 'The process that read the store was ended.', { hint: 'Do it again.' })
}

function runHere({ db, sql, parameters = [] }: LongStatement): unknown {
  return Object.values(db.prepare(sql).get(...parameters) ?? {})[0] ?? null
}

/** What a process writes until its end, or until the signal ends it. */
async function textOf(child: Child, { onTick, signal }: LongStatement): Promise<string> {
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
  return text
}

type Child = ChildProcessByStdio<null, Readable, null>

interface Answer {
  readonly value?: unknown
  readonly error?: { readonly message: string }
}

/** Starts the process; nothing where none may be started. */
async function start(parameters: readonly string[]): Promise<Child | undefined> {
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

/** What {@link PROGRAM} says; nothing where something else, or nothing, was said. */
function answerIn(text: string): Answer | undefined {
  try {
    const said: unknown = JSON.parse(text)
    return typeof said === 'object' && said !== null && ('value' in said || 'error' in said)
      ? (said as Answer)
      : undefined
  } catch {
    return undefined
  }
}

/** Whether nothing was written into a file. */
function isEmpty(file: string | undefined): boolean {
  return file === undefined || (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0
}
