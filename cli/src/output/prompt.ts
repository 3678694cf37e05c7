import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Context } from '../core/context.ts'
import { CliError, EXIT, interruption, usageError } from '../core/errors.ts'

/** What a person at a terminal is asked. */
interface LinePrompt {
  /** All that stands before the answer. */
  readonly question: string
  /** Whether nothing of the answer may be seen, not even its length. */
  readonly isSecret: boolean
}

/**
 * Asks a person at a terminal for one line. It can be corrected as in a shell. When Ctrl-Z stopped the program and it
 * goes on, the question is asked again. What is typed behind the line waits for the next question.
 *
 * @returns `undefined` at the end of input
 * @throws CliError `interrupted` at Ctrl-C
 */
export async function promptLine(
  { stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>,
  { question, isSecret }: LinePrompt,
): Promise<string | undefined> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = isSecret ? nowhere : stderr
  const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0, prompt: question })
  const show = () => {
    if (isSecret) {
      // Begun anew: nobody knows how much of it was typed before.
      lines.write(null, { ctrl: true, name: 'u' })
      stderr.write(question)
    }
    lines.prompt(true)
  }
  let ahead = ''
  const keep = (_text: string | undefined, key: { readonly sequence?: string }) => {
    ahead += key.sequence ?? ''
  }
  // The shell had the terminal meanwhile, and left it as it likes it: with echo. Readline hears of SIGCONT first.
  const goOn = () =>
    setImmediate(() => {
      if (hasEnded) return
      for (const mode of [false, true]) (stdin as Partial<NodeJS.ReadStream>).setRawMode?.(mode)
      show()
    })
  process.on('SIGCONT', goOn)
  let hasEnded = false
  let isLineEnded = false
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      // Closed within the event: what else came with the line must not be shown as part of this answer.
      lines.once('line', (answer) => {
        isLineEnded = true
        resolve(answer)
        stdin.on('keypress', keep)
        lines.close()
      })
      lines.once('SIGINT', () => reject(interruption()))
      lines.once('close', () => resolve(undefined))
      show()
    })
  } finally {
    hasEnded = true
    process.off('SIGCONT', goOn)
    lines.close()
    stdin.off('keypress', keep)
    if (isSecret || !isLineEnded) stderr.write('\n')
    // CR LF is one end of a line.
    ahead = ahead.replace(/^\n/, '')
    if (ahead !== '' && !stdin.readableEnded) stdin.unshift(Buffer.from(ahead))
  }
}

/** Asks a person at a terminal; nothing of the answer is shown, not even its length. */
export async function promptSecret(context: Context, question: string): Promise<string> {
  const answer = await promptLine(context, { question: `${question}: `, isSecret: true })
  if (answer !== undefined) return answer
  throw new CliError({
    code: 'missing_credentials',
    message: 'No answer was given.',
    hint: 'Type it when asked, or set the variable that --help names.',
    exit: EXIT.credentials,
  })
}

/** What a person is asked before something is destroyed. */
interface Confirmation {
  /** Without its question mark. */
  readonly question: string
  /** `--yes` */
  readonly yes?: boolean | undefined
  /** `--no-input` */
  readonly 'no-input'?: boolean | undefined
}

/**
 * Asks whether to go on, unless `--yes` said so. Only `y` and `yes` do.
 *
 * @throws CliError `usage` where nobody can be asked, `not_confirmed` for any other answer
 */
export async function confirm(context: Pick<Context, 'stdin' | 'stderr'>, request: Confirmation): Promise<void> {
  const { question, yes, 'no-input': noInput } = request
  if (yes) return
  if (noInput || !context.stdin.isTTY || !context.stderr.isTTY) {
    throw usageError(`Not done without a yes: ${question}?`, 'Add --yes.')
  }
  // The end of input is no yes.
  const answer = (await promptLine(context, { question: `${question}? [y/N] `, isSecret: false })) ?? ''
  if (/^y(es)?$/i.test(answer.trim())) return
  throw new CliError({ code: 'not_confirmed', message: 'Nothing was changed.', exit: EXIT.failure })
}
