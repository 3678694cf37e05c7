import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import type { Io } from '../core/io.ts'
import { askLine } from '../output/ask-line.ts'

/** Asks a person at a terminal; nothing of the answer is shown, not even its length. */
export async function askSecret(io: Io, question: string): Promise<string> {
  const answer = await askLine(io, { question: `${question}: `, isSecret: true })
  if (answer !== undefined) return answer
  throw new CliError({
    code: 'missing_credentials',
    message: 'No answer was given.',
    hint: 'Type it when asked, or set the variable that --help names.',
    exit: EXIT.credentials,
  })
}
