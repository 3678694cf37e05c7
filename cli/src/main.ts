import { EXIT } from './exit.ts'
import { processIo } from './io.ts'
import { runCli } from './run-cli.ts'

export { runCli } from './run-cli.ts'

const LAST_WORDS_MS = 1000

/** Runs `fish-cli` as this process. The exit status is set, not forced: what is being written is written. */
export async function main(): Promise<void> {
  const status = await runCli(process.argv.slice(2), processIo())
  process.exitCode = status
  if (status !== EXIT.interrupted) return
  // Whoever pressed Ctrl-C does not wait for what is still under way, nor for a reader that does not read.
  setTimeout(() => process.exit(), LAST_WORDS_MS).unref()
  await new Promise((resolve) => process.stdout.write('', resolve))
  process.exit()
}
