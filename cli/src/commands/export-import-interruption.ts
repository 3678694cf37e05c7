import { CliError, interruption } from '../cli-error.ts'
import { EXIT } from '../exit.ts'
import type { Io } from '../io.ts'

/**
 * Does maintenance that Ctrl-C and SIGTERM interrupt, and that a second one ends as usual. What it leaves behind is told by whoever did it; that it was
 * interrupted is what the exit status says.
 */
export async function interruptible<Result>(io: Io, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController()
  const terminate = () => controller.abort(interruption())
  process.once('SIGTERM', terminate)
  try {
    return await run(AbortSignal.any([io.interrupted(), controller.signal]))
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== interruption().code) throw error
    const { code, message, hint } = error
    throw new CliError({ code, message, exit: EXIT.interrupted, ...(hint === undefined ? {} : { hint }) })
  } finally {
    process.off('SIGTERM', terminate)
  }
}
