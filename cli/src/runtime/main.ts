import { EXIT } from '../core/exit.ts'
import { type Io, processIo } from '../core/io.ts'
import { failureText } from './render-failure.ts'
import { runCli } from './run-cli.ts'
import { stdoutFailure } from './stdout-failure.ts'

export { runCli } from './run-cli.ts'

const LAST_WORDS_MS = 1000

/** Runs `fish-cli` as this process. The exit status is set, not forced: what is being written is written. */
export async function main(): Promise<void> {
  let wasStopped = false
  const io = processIo({
    onStopWish: () => {
      wasStopped = true
    },
  })
  endWithStdout(io)
  endWithMistake(io)
  const status = await runCli(process.argv.slice(2), io)
  // What stdout ended with stands.
  process.exitCode ??= status
  if (status !== EXIT.interrupted && !wasStopped) return
  // Whoever sent the signal does not wait for what is still under way, nor for a reader that does not read.
  setTimeout(() => process.exit(), LAST_WORDS_MS).unref()
  if (status !== EXIT.interrupted) return
  await new Promise((resolve) => process.stdout.write('', resolve))
  process.exit()
}

/**
 * Tells an error that nobody caught as any other mistake of this program: Node would print its message and all its
 * fields, and there may be secrets among them.
 */
function endWithMistake(io: Io): void {
  let isTold = false
  process.on('uncaughtException', async (error) => {
    // Another one on the way out changes nothing.
    if (isTold) return
    isTold = true
    const [{ tellFailure }, { forRun }] = await Promise.all([import('./tell-failure.ts'), import('../core/run-io.ts')])
    const exit = await tellFailure(forRun(io), { argv: process.argv.slice(2), error })
    await new Promise((resolve) => io.stderr.write('', resolve))
    process.exit(exit)
  })
}

/** Ends the process when nobody can read what it prints: quietly where nobody wants to, else with one clear error. */
function endWithStdout({ stdout, stderr }: Io): void {
  // Nobody is left to tell.
  stderr.on('error', () => {})
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    const failure = stdoutFailure(error)
    const { message, hint = null } = failure ?? {}
    if (message !== undefined) stderr.write(failureText({ message, hint, requestId: null }))
    process.exit(failure?.exit ?? EXIT.ok)
  })
}
