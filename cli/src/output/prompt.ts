import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Context } from '../core/context.ts'
import { CliError, EXIT, interruption, usageError } from '../core/errors.ts'

/**
 * Repeats the prompt after Ctrl-Z and `fg`. Leaves later input for the next prompt. Returns `undefined` at the end of
 * input.
 */
export async function promptLine(
  { stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>,
  { question, isSecret }: { readonly question: string; readonly isSecret: boolean },
): Promise<string | undefined> {
  // readline would wait forever.
  if (stdin.readableEnded) return undefined
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = isSecret ? nowhere : stderr
  const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0, prompt: question })
  const show = () => {
    if (isSecret) {
      // Deletes the input so far, because users cannot see hidden input.
      lines.write(null, { ctrl: true, name: 'u' })
      stderr.write(question)
    }
    lines.prompt(true)
  }
  let ahead = ''
  const keep = (_text: string | undefined, key: { readonly sequence?: string }) => {
    ahead += key.sequence ?? ''
  }
  // The shell has reset the terminal to echo. Runs after readline's own handler of SIGCONT.
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
      // Closed within the event: further input must not be echoed as part of this reply.
      lines.once('line', (reply) => {
        isLineEnded = true
        resolve(reply)
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
    // CR LF is one line end.
    ahead = ahead.replace(/^\n/, '')
    if (ahead !== '' && !stdin.readableEnded) stdin.unshift(Buffer.from(ahead))
  }
}

export function canPrompt({ stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>, noInput: boolean | undefined): boolean {
  return !noInput && stdin.isTTY === true && stderr.isTTY === true
}

interface Confirmation {
  readonly question: string
  /** The text to type instead of a yes, for changes that are too large to confirm by mistake. */
  readonly typed?: string | undefined
  readonly yes?: boolean | undefined
  readonly 'no-input'?: boolean | undefined
}

export async function confirm(context: Pick<Context, 'stdin' | 'stderr'>, request: Confirmation): Promise<void> {
  const { question, typed, yes, 'no-input': noInput } = request
  if (yes) return
  if (!canPrompt(context, noInput))
    throw usageError(`Confirmation required: ${question}?`, 'To confirm without a prompt, add --yes.')
  if (typed === undefined ? await ask(context, question) : await askFor(context, question, typed)) return
  throw new CliError({ code: 'not_confirmed', message: 'Nothing was changed.', exit: EXIT.failure })
}

async function askFor(context: Pick<Context, 'stdin' | 'stderr'>, question: string, typed: string): Promise<boolean> {
  const reply = await promptLine(context, { question: `${question}? Type ${typed} to confirm: `, isSecret: false })
  return reply?.trim() === typed
}

/** Only `y` and `yes` confirm. The end of input does not confirm. */
export async function ask(context: Pick<Context, 'stdin' | 'stderr'>, question: string): Promise<boolean> {
  const reply = (await promptLine(context, { question: `${question}? [y/N] `, isSecret: false })) ?? ''
  return /^y(es)?$/i.test(reply.trim())
}
