import { type IPty, spawn } from '@lydell/node-pty'
import { inject, onTestFinished } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The file that starts `fish-cli`: as it is shipped in e2e tests and where `TEST_BUILT` is set, else from the sources. */
    program: string
  }
}

/** The command that starts `fish-cli`. */
export const PROGRAM = [process.execPath, inject('program')] as const

/** Why tests in a pseudo-terminal are skipped here, for their titles. */
export const SKIPPED = process.platform === 'win32' ? ' (skipped: needs a POSIX shell)' : ''

/** How a terminal is. */
export interface TerminalOptions {
  readonly columns?: number
  readonly rows?: number
  /** @default `PATH`, a `TERM` of xterm and a home that is none */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
}

/** A process in a real pseudo-terminal of its own. It is ended with its test. */
export interface PseudoTerminal {
  readonly pid: number
  /** All that was written until now. */
  text(): string
  type(keys: string): void
  resize(columns: number, rows?: number): void
  /** Takes the terminal away, as closing its window does. */
  hangUp(): void
  /** Settles once what was written, from `from` on, matches; rejects when the process ended before. */
  until(pattern: RegExp, from?: number): Promise<RegExpExecArray>
  /** Hears each piece that is written, and first all that was written until now. */
  watch(listener: (piece: string) => void): void
  /** Settles when the process ended, with its exit status, or the signal that ended it. */
  readonly ended: Promise<{ readonly status: number; readonly signal: number }>
}

/** Starts a command in a new terminal. */
export function openTerminal([file = '', ...args]: readonly string[], options: TerminalOptions = {}): PseudoTerminal {
  const { columns = 80, rows = 24, env = {}, cwd } = options
  const pty = spawn(file, args, {
    cols: columns,
    rows,
    name: env.TERM ?? 'xterm-256color',
    env: { PATH: process.env.PATH, HOME: '/dev/null/home', LANG: 'C.UTF-8', FISH_SECRET_STORE: 'file', ...env },
    ...(cwd === undefined ? {} : { cwd }),
  })
  let text = ''
  let hasEnded = false
  const listeners = new Set<(piece: string) => void>()
  const show = (piece: string) => {
    text += piece
    for (const listener of [...listeners]) listener(piece)
  }
  pty.onData(show)
  const ended = new Promise<{ status: number; signal: number }>((resolve) => {
    pty.onExit(({ exitCode, signal = 0 }) => {
      hasEnded = true
      resolve({ status: exitCode, signal })
      show('')
    })
  })
  const hangUp = () => (pty as IPty & { destroy(): void }).destroy()
  onTestFinished(async () => {
    if (hasEnded) return
    pty.kill('SIGKILL')
    hangUp()
    await ended
  })
  return {
    pid: pty.pid,
    text: () => text,
    type: (keys) => pty.write(keys),
    resize: (toColumns, toRows = rows) => pty.resize(toColumns, toRows),
    hangUp,
    until: (pattern, from = 0) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(text.slice(from))
          if (!found && !hasEnded) return
          listeners.delete(look)
          if (found) resolve(found)
          else reject(new Error(`It ended before ${pattern} was seen, with: ${JSON.stringify(text)}`))
        }
        listeners.add(look)
        look()
      }),
    watch: (listener) => {
      listener(text)
      listeners.add(listener)
    },
    ended,
  }
}

/** `fish-cli` in a terminal. */
export interface FishTerminal extends Omit<PseudoTerminal, 'ended'> {
  /** Settles when `fish-cli` ended. */
  readonly ended: Promise<EndedFish>
  /**
   * Types Ctrl-C, and answers how long it took until `fish-cli` had ended: as a share of the time that it had run
   * until then, from its start, which a busy machine makes longer just as well.
   */
  interrupt(): Promise<number>
}

/** How `fish-cli` ended, and how it left the terminal. */
export interface EndedFish {
  readonly status: number
  /** What it wrote. */
  readonly text: string
  /** Whether the terminal shows what is typed, takes it by lines, and turns Ctrl-C into a signal. */
  readonly isSane: boolean
}

// Tells the exit status between two marks, then the state of the terminal; ends when both were read.
const SHELL = ['trap : INT', '%', 's=$?', `printf '@@%s@@' "$s"`, 'stty -a', `printf '@@'`, 'read _']
const ENDED = /^(.*?)@@(\d+)@@(.*?)@@/s

/**
 * Types a command line of `fish-cli` in a terminal.
 *
 * @param around What the shell runs, with `fish-cli` and its arguments as `"$@"`, such as `"$@" 2>errors`.
 */
export function fishInTerminal(
  argv: readonly string[],
  { around = '"$@"', ...options }: TerminalOptions & { readonly around?: string } = {},
): FishTerminal {
  const script = SHELL.join('; ').replace('%', () => around)
  const startedAt = performance.now()
  const terminal = openTerminal(['/bin/sh', '-c', script, 'sh', ...PROGRAM, ...argv], options)
  const ended = terminal.until(ENDED).then(async ([, text = '', status = '', settings = '']) => {
    terminal.type('\n')
    await terminal.ended
    const isSane = ['echo', 'icanon', 'isig'].every((name) => new RegExp(`(^|\\s)${name}(\\s|;|$)`).test(settings))
    return { status: Number(status), text, isSane }
  })
  // Whoever does not wait for it does not want to know.
  ended.catch(() => {})
  const interrupt = async () => {
    const typedAt = performance.now()
    terminal.type('\u0003')
    await terminal.until(/@@\d+@@/)
    return (performance.now() - typedAt) / (typedAt - startedAt)
  }
  return { ...terminal, ended, interrupt }
}
