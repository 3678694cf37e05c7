import type { Context, Env } from '../core/context.ts'
import { printable } from './text.ts'

const BELL = '\u0007'
const END = '\u001b\\'
const PAUSE_MS = 1000
const MAX_TEXT = 100

/**
 * Rings the bell, and where the terminal is known to show notifications of the desktop, asks it for one. Terminals do so
 * over SSH, too, without a process or a library: node-notifier starts a program of each system, on the machine that it
 * runs on. At most one a second.
 */
export function createNotifier({ stdout, env, clock }: Pick<Context, 'stdout' | 'env' | 'clock'>) {
  let last = Number.NEGATIVE_INFINITY
  return (text: string): void => {
    const now = clock.now()
    if (now - last < PAUSE_MS) return
    last = now
    stdout.write(`${BELL}${notification(env, printable(text).slice(0, MAX_TEXT))}`)
  }
}

/** Other terminals may print such a sequence. */
function notification(env: Env, text: string): string {
  const { TERM = '', TERM_PROGRAM = '', WT_SESSION, TMUX, STY } = env
  // Multiplexers swallow it, or show it elsewhere.
  if (TMUX || STY) return ''
  if (/^(?:iTerm\.app|WezTerm|ghostty)$/.test(TERM_PROGRAM) || /kitty|ghostty|foot|wezterm/.test(TERM) || WT_SESSION) {
    return `\u001b]9;${text}${END}`
  }
  // A semicolon would begin another field.
  return /^rxvt/.test(TERM) ? `\u001b]777;notify;fish-cli;${text.replaceAll(';', ',')}${END}` : ''
}
