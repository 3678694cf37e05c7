import { type IPty, spawn } from '@lydell/node-pty'
import { inject, onTestFinished } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The file that starts `fish-cli`: the shipped file in e2e tests and with `TEST_BUILT`, otherwise the file that
     * runs the sources.
     */
    program: string
  }
}

/** The command that starts `fish-cli`. */
export const PROGRAM = [process.execPath, inject('program')] as const

/** The reason why tests in a pseudo-terminal are skipped, for test titles. Empty if the tests run. */
export const SKIPPED = process.platform === 'win32' ? ' (skipped: needs a POSIX shell)' : ''

/** Options of a terminal. */
export interface TerminalOptions {
  readonly columns?: number
  readonly rows?: number
  /** @default `PATH`, a `TERM` of xterm and a home that does not exist */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
}

/** A process in a separate real pseudo-terminal. The process is killed after the test. */
export interface PseudoTerminal {
  readonly pid: number
  /** The output until now. */
  text(): string
  type(keys: string): void
  resize(columns: number, rows?: number): void
  /** Closes the terminal, as closing its window does. */
  hangUp(): void
  /** Resolves when the output after `from` matches. Rejects if the process ends first. */
  until(pattern: RegExp, from?: number): Promise<RegExpExecArray>
  /** Calls the listener with the output until now, and then with each new piece. */
  watch(listener: (piece: string) => void): void
  /** Resolves when the process ends, with its exit status, or the signal that ended it. */
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
  /** Resolves when `fish-cli` ends. */
  readonly ended: Promise<EndedFish>
  /**
   * Types Ctrl-C, and returns the time until `fish-cli` ended as a fraction of the time that `fish-cli` had run before
   * Ctrl-C. A busy machine lengthens both times.
   */
  interrupt(): Promise<number>
}

/** The result of `fish-cli`, and the state of the terminal afterwards. */
export interface EndedFish {
  readonly status: number
  /** The output of `fish-cli`. */
  readonly text: string
  /** Whether the terminal echoes, buffers lines, and turns Ctrl-C into a signal. */
  readonly isSane: boolean
}

// Shell commands that print the exit status between two marks, and then the state of the terminal. The shell exits when
// the test has read both.
const SHELL = ['trap : INT', '%', 's=$?', `printf '@@%s@@' "$s"`, 'stty -a', `printf '@@'`, 'read _']
const ENDED = /^(.*?)@@(\d+)@@(.*?)@@/s

/**
 * Types a command line of `fish-cli` in a terminal.
 *
 * @param around The line for the shell, with `fish-cli` and its arguments as `"$@"`, such as `"$@" 2>errors`.
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
  // Callers that do not wait for the result ignore its failure.
  ended.catch(() => {})
  const interrupt = async () => {
    const typedAt = performance.now()
    terminal.type('\u0003')
    await terminal.until(/@@\d+@@/)
    return (performance.now() - typedAt) / (typedAt - startedAt)
  }
  return { ...terminal, ended, interrupt }
}
