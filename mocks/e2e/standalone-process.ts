import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { start } from '../../scripts/test-support/child-process.ts'

/** A running `fish-cli mock` process. */
export interface StandaloneProcess {
  readonly url: string
  /** Sends SIGTERM. @returns the exit status */
  stop(): Promise<number | null>
}

const CLI = fileURLToPath(new URL('../../cli/bin/run.js', import.meta.url))

/** Starts the built `fish-cli mock`, and waits until the mock is ready. */
export async function startMockProcess(argv: readonly string[]): Promise<StandaloneProcess> {
  const child = start(process.execPath, [CLI, 'mock', ...argv])
  if (!child.stdout || !child.stderr) throw new Error('A child without output.')
  const log = text(child.stderr)
  const closed = once(child, 'close') as Promise<[number | null]>
  const ready = createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  const { value: line = '' } = await Promise.race([ready, closed.then(() => ({ value: '' }))])
  const url = /^listening on (http\S+)$/.exec(line)?.[1]
  if (!url) {
    child.kill('SIGKILL')
    throw new Error(`The mock did not start.\n${line}\n${await log}`)
  }
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      const [status] = await closed
      return status
    },
  }
}
