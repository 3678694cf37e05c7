import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** Returns the path of a subfolder `data`, which does not exist yet. Its parent folder is removed after the test. */
export function newFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), 'fish-storage-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  return join(parent, 'data')
}

/** A separate process that has the folder open, and appends records on demand. */
export interface Holder {
  readonly stdout: () => string
  readonly stderr: () => string
  /** Settles once the process has printed this many acknowledged ids. */
  readonly acknowledged: (count: number) => Promise<void>
  readonly kill: () => Promise<void>
}

function collect(stream: ChildProcessWithoutNullStreams['stdout']): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  return () => text
}

/** Starts a process that opens the folder. */
export function spawnHolder(folder: string, task: 'hold' | 'append' = 'hold'): Holder {
  const script = fileURLToPath(new URL('./fixtures/appender.ts', import.meta.url))
  const child = spawn(process.execPath, [script, folder, task])
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const closed = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await closed
  }
  onTestFinished(kill)
  const acknowledged = async (count: number) => {
    while (stdout().split('\n').length < count + 2) {
      if (child.exitCode !== null) throw new Error(`The process ended early: ${stderr()}`)
      await Promise.race([once(child.stdout, 'data'), closed])
    }
  }
  return { stdout, stderr, acknowledged, kill }
}

/** Starts a process that opens the folder, and waits until the folder is open. */
export async function startHolder(folder: string, task: 'hold' | 'append' = 'hold'): Promise<Holder> {
  const holder = spawnHolder(folder, task)
  await holder.acknowledged(0)
  return holder
}
