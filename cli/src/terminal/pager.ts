import { stripVTControlCharacters } from 'node:util'
import { EXIT, interruption } from '../core/errors.ts'
import type { Env } from '../core/system.ts'
import type { Screen } from './screen.ts'
import { displayWidth } from './text.ts'

// With these options, less quits if the text fits on the screen, keeps colours, and leaves the text on the screen at
// the end.
const LESS = 'FRX'

/** The value of `PAGER`, or `less` if `PAGER` is not set. Returns no pager if `PAGER` is empty or `cat`. */
export function pagerOf({ PAGER = `less -${LESS}` }: Env): string | undefined {
  return PAGER.trim() === '' || PAGER.trim() === 'cat' ? undefined : PAGER
}

export function needsPager(text: string, { height, width }: Screen): boolean {
  if (height === undefined || width === undefined) return false
  if (text.length < height) return false
  let lines = 0
  for (const line of text.trimEnd().split('\n')) {
    lines += Math.max(1, Math.ceil(displayWidth(stripVTControlCharacters(line)) / width))
    if (lines >= height) return true
  }
  return false
}

/**
 * Shows a text in a pager. Returns whether the pager exists. Throws if Ctrl-C ended the pager, which happens only if
 * the pager does not handle Ctrl-C.
 */
export async function runPager(pager: string, text: string, env: Env): Promise<boolean> {
  const { spawn } = await import('node:child_process')
  // A command of plain words runs without a shell, because Ctrl-C would end the shell while the pager continues.
  const shell = /[^\w\s./-]/.test(pager)
  const [command = '', ...args] = shell ? [pager] : pager.trim().split(/\s+/)
  // While the pager runs, Ctrl-C is for the pager: in less, it ends a search.
  const ignore = () => {}
  process.on('SIGINT', ignore)
  try {
    return await new Promise<boolean>((resolve, reject) => {
      const child = spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit'], shell, env: { LESS, ...env } })
      child.once('error', () => resolve(false))
      child.once('close', (status, signal) => {
        if (signal === 'SIGINT' || status === EXIT.interrupted) reject(interruption())
        // The exit statuses of sh and cmd.exe for an unknown command.
        else resolve(status !== 127 && status !== 9009)
      })
      // Closing a pager early is normal.
      child.stdin.on('error', ignore)
      child.stdin.end(text)
    })
  } finally {
    process.off('SIGINT', ignore)
  }
}
