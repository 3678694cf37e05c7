import type { AppQuestion } from '../../../../server/web/src/player-app/api-types.ts'
import { CliError, EXIT } from '../../core/errors.ts'
import type { System } from '../../core/system.ts'
import { screenOf } from '../../terminal/screen.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { linesOf, plainText, type Text } from '../../terminal/text.ts'

/** The page, as a command sees it. */
export interface AppPage {
  /** Receives the data that a command prints, and its text. */
  printed(data: unknown, text: readonly string[]): void
  /** Returns the reply, or `undefined` if the player cancels. */
  ask(question: Omit<AppQuestion, 'id'>): Promise<string | undefined>
  /** @param text `undefined` at the end of the operation */
  progress(text: string | undefined): void
}

const MAX_NOTES = 20

// Sentences about commands, variables and flags are of no use on the page.
const OF_COMMAND_LINE = /\bfish-cli [a-z]|\bFISH_|(?:^|\s)--[a-z]/

/** Returns the lines that make sense on the page. */
export function textForPage(text: Text): readonly string[] {
  return linesOf(text).flatMap((line) => {
    const sentences = plainText(line)
      .replace(/^fish-cli: /, '')
      .split(/(?<=[.!?]) +(?=[A-Z])/)
    const text = sentences.filter((sentence) => !OF_COMMAND_LINE.test(sentence)).join(' ')
    return text.trim() === '' ? [] : [text.trim()]
  })
}

const CANCELLED = 'not_confirmed'

/** Whether the player has cancelled the operation. */
export function isCancelled(error: unknown): error is CliError {
  return error instanceof CliError && error.code === CANCELLED
}

function cancelled(): CliError {
  return new CliError({ code: CANCELLED, message: 'Nothing was changed.', exit: EXIT.failure })
}

/** Lets a command print and prompt on the page. Its notes appear above its next question or result. */
export function createAppTerminal(system: System, page: AppPage): Terminal {
  let notes: string[] = []
  const note = (text: Text) => {
    notes = [...notes, ...textForPage(text)].slice(-MAX_NOTES)
  }
  const takeNotes = () => {
    const before = notes
    notes = []
    return before
  }
  const print = (data: unknown, text: Text = []) => {
    page.printed(data, [...takeNotes(), ...textForPage(text)])
    return EXIT.ok
  }
  const ask = (kind: AppQuestion['kind'], text: string, choices: readonly string[] = []) =>
    page.ask({ kind, choices, text: text.replace(/:\s*$/, ''), about: takeNotes() })
  const askOrCancel = async (...question: Parameters<typeof ask>) => {
    const reply = await ask(...question)
    if (reply === undefined) throw cancelled()
    return reply
  }
  const noop = () => {}
  const terminal: Terminal = {
    flags: {},
    isLive: false,
    get screen() {
      return screenOf(system, system.stdout)
    },
    canRewrite: false,
    canPrompt: true,
    print: (data, render) => print(data, render()),
    printLine: (data) => void print(data),
    printRows: async ({ rows }) => print(rows),
    printTables: async ({ rows }) => print(rows),
    printChart: async ({ rows }) => print(rows),
    printFile: print,
    rowStream: async () => (rows) => void print(rows),
    liveView: () => Promise.reject(new Error('A page has no live view.')),
    bell: noop,
    note,
    say: note,
    setStatus: noop,
    progress: ({ unit, label = 'Sending', total }) => ({
      update: (done) => page.progress(`${label} ${done}${total ? ` of ${total}` : ''} ${unit}`),
      end: () => page.progress(undefined),
    }),
    countdown: () => ({ start: noop, stop: noop }),
    // No command of the page reads a text.
    prompt: async () => undefined,
    choose: (question, choices) => askOrCancel('choice', question, choices),
    promptSecret: (question) => askOrCancel('secret', question),
    async ask(question, about = []) {
      note(about)
      return (await ask('confirm', `${question}?`)) === 'yes'
    },
    async confirm(question, { about = [] } = {}) {
      if (await terminal.ask(question, about)) return
      throw cancelled()
    },
    end: noop,
  }
  return terminal
}
