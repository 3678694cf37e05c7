import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { interruption } from '../core/errors.ts'
import type { System } from '../core/system.ts'

/**
 * Prompts for a line. Repeats the prompt after Ctrl-Z and `fg`. Keeps later input for the next prompt. Returns
 * `undefined` at the end of input.
 */
export async function promptLine(
  { stdin, stderr }: Pick<System, 'stdin' | 'stderr'>,
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
