import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Context } from '../core/context.ts'
import { CliError, EXIT, interruption, usageError } from '../core/errors.ts'

/**
 * Prompts for a line. Repeats the prompt after Ctrl-Z and `fg`. Keeps later input for the next prompt. Returns
 * `undefined` at the end of input.
 */
export async function promptLine(
  { stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>,
  { question, isSecret }: { readonly question: string; readonly isSecret: boolean },
): Promise<string | undefined> {
  // After the end of input, readline would wait forever.
  if (stdin.readableEnded) return undefined
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = isSecret ? nowhere : stderr
  const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0, prompt: question })
  const show = () => {
    if (isSecret) {
      // Deletes the previous input, because users cannot see hidden input.
      lines.write(null, { ctrl: true, name: 'u' })
      stderr.write(question)
    }
    lines.prompt(true)
  }
  let ahead = ''
  const keep = (_text: string | undefined, key: { readonly sequence?: string }) => {
    ahead += key.sequence ?? ''
  }
  // Turns echo off again, because the shell has turned echo on. Runs after readline's own handler of SIGCONT.
  const resume = () =>
    setImmediate(() => {
      if (hasEnded) return
      for (const mode of [false, true]) (stdin as Partial<NodeJS.ReadStream>).setRawMode?.(mode)
      show()
    })
  let stop = () => {}
  const terminate = () => stop()
  process.on('SIGCONT', resume)
  process.once('SIGTERM', terminate)
  let hasEnded = false
  let isLineEnded = false
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      // The interface is closed within the event, so that further input is not echoed as part of this reply.
      lines.once('line', (reply) => {
        isLineEnded = true
        resolve(reply)
        stdin.on('keypress', keep)
        lines.close()
      })
      stop = () => reject(interruption())
      lines.once('SIGINT', () => stop())
      lines.once('close', () => resolve(undefined))
      show()
    })
  } finally {
    hasEnded = true
    process.off('SIGCONT', resume)
    process.off('SIGTERM', terminate)
    lines.close()
    stdin.off('keypress', keep)
    if (isSecret || !isLineEnded) stderr.write('\n')
    // CR LF is a single line end, so the LF is not later input.
    ahead = ahead.replace(/^\n/, '')
    if (ahead !== '' && !stdin.readableEnded) stdin.unshift(Buffer.from(ahead))
  }
}

export function canPrompt({ stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>, noInput: boolean | undefined): boolean {
  return !noInput && stdin.isTTY === true && stderr.isTTY === true
}

interface Confirmation {
  readonly question: string
  /** The text to type instead of `y`, so that large changes are not confirmed by mistake. */
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

/** Asks for a confirmation. Only `y` and `yes` confirm. The end of input does not confirm. */
export async function ask(context: Pick<Context, 'stdin' | 'stderr'>, question: string): Promise<boolean> {
  const reply = (await promptLine(context, { question: `${question}? [y/N] `, isSecret: false })) ?? ''
  return /^y(es)?$/i.test(reply.trim())
}
