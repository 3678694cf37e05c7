import type { System } from '../../core/system.ts'
import { clockOf } from '../../core/time.ts'
import { screenOf } from '../../terminal/screen.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { linesOf, plainText, type Text } from '../../terminal/text.ts'

/** The reports of commands, which go to a page instead of a terminal. */
export interface Reports {
  /** A catch, in the form of `watch --json`. */
  printed(data: unknown): void
  said(text: string): void
}

/**
 * The way out of a command that runs for the page. Nobody can reply to a prompt here: the page asks before it calls, so
 * each change is confirmed.
 */
export function createAppTerminal(system: System, { printed, said }: Reports): Terminal {
  const textOf = (text: Text) =>
    linesOf(text)
      .map((line) => plainText(line).trim())
      .join(' ')
      .replace(/^fish-cli: /, '')
  const say = (text: Text) => {
    if (text.length > 0) said(textOf(text))
  }
  const print = (data: unknown) => {
    printed(data)
    return 0
  }
  const nothing = () => {}
  return {
    flags: {},
    isLive: false,
    get screen() {
      return screenOf(system, system.stdout)
    },
    canRewrite: false,
    canPrompt: false,
    print(data, render) {
      say(render())
      return print(data)
    },
    printLine: (data) => void print(data),
    printRows: async ({ rows }) => print(rows),
    printTables: async ({ rows }) => print(rows),
    printChart: async ({ rows }) => print(rows),
    printFile: print,
    rowStream: async () => (rows) => void print(rows),
    liveView: () => Promise.reject(new Error('A page has no live view.')),
    bell: nothing,
    note: say,
    say,
    setStatus: nothing,
    progress: () => ({ update: nothing, end: nothing }),
    countdown: () => ({
      start: (until, text) => say(text(until - clockOf(system).now())),
      stop: nothing,
    }),
    prompt: async () => undefined,
    promptSecret: async () => undefined,
    ask: async () => false,
    confirm: async () => {},
    end: nothing,
  }
}
