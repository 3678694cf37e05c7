import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { newFolder } from './data-folder.ts'

/** Creates tasks that each block a thread of the pool until the test has finished. */
export function createBlockingTasks() {
  const pipe = join(newFolder(), 'pipe')
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe])
  const tasks: Promise<unknown>[] = []
  const started: string[] = []
  /** Opening a pipe waits for a writer. */
  async function block(name: string): Promise<void> {
    started.push(name)
    await (await open(pipe, 'r')).close()
  }
  onTestFinished(async () => {
    const writer = openSync(pipe, 'r+')
    await Promise.all(tasks)
    closeSync(writer)
  })
  return { block, started, run: (task: Promise<unknown>) => void tasks.push(task) }
}
