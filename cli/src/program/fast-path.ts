import { fstatSync, readFileSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { COMPLETE_COMMAND } from '../commands/account/shells.ts'
import { earlyFlags, findPage, helpWords, isVersionRequest } from '../core/argv.ts'
import { stdoutError } from '../core/errors.ts'
import { versionText } from '../package.ts'
import { useColours } from '../terminal/screen.ts'
import { renderLines, reportLines } from '../terminal/text.ts'

export { cacheFolder } from '../session/paths.ts'

// The width of the pages in dist/help.
const PAGE_WIDTH = 80
const STDOUT = 1
// Matches names of pages. Words that do not match are never used in the path of a file.
const PLAIN_WORDS = /^[a-z-]+(:[a-z-]+)?$/

/** The files of the program. A single executable contains those that `read` returns, and unpacks the others. */
export interface ProgramFiles {
  /** Returns the folder with all files. */
  root(): string
  read(path: string): string | undefined
}

export const filesBelow = (root: string): ProgramFiles => ({
  root: () => root,
  read(path) {
    try {
      return readFileSync(join(root, path), 'utf8')
    } catch {
      return undefined
    }
  },
})

/**
 * Handles `--version`, `--help` and shell completion without loading the program. Returns whether the command line was
 * handled.
 */
export function tryFastPath(argv: readonly string[], files: ProgramFiles): boolean {
  if (isVersionRequest(argv)) {
    print(versionText(JSON.parse(files.read('package.json') ?? '')))
    return true
  }
  if (argv[0] === COMPLETE_COMMAND) {
    const root = files.root()
    // Completion is in a separate file, so that other fast paths do not load it.
    const load = createRequire(join(root, 'package.json'))
    const { printCompletions } = load('./dist/completion.cjs') as typeof import('./completion.ts')
    printCompletions(argv[1], root)
    return true
  }
  const words = helpWords(argv)
  if (!words) return false
  // Opening stdout takes time and is only needed for the width and colours of a terminal.
  const stdout = fstatSync(STDOUT).isCharacterDevice() ? process.stdout : undefined
  if (stdout?.isTTY && stdout.columns < PAGE_WIDTH) return false
  const coloured = !earlyFlags(argv)['no-color'] && useColours(process.env, stdout ?? { isTTY: false })
  const pageOf = (id: string) => files.read(`dist/help/${pageFile(id, coloured)}`)
  const id = findPage(words, { has: (each) => PLAIN_WORDS.test(each) && pageOf(each) !== undefined })
  const page = id === undefined ? undefined : pageOf(id)
  if (page === undefined) return false
  print(page)
  return true
}

function print(text: string): void {
  let rest = Buffer.from(text)
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(STDOUT, rest))
  } catch (error) {
    // The pipe is full. Unlike `writeSync`, the stream waits for the reader.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') {
      process.stdout.write(rest)
      return
    }
    const failure = stdoutError(error as NodeJS.ErrnoException)
    if (!failure) return
    process.stderr.write(`${renderLines(reportLines(failure), { colours: false })}\n`)
    process.exitCode = failure.exit
  }
}

export function pageFile(id: string, coloured: boolean): string {
  return `${id === '' ? 'index' : id.replaceAll(':', ' ')}.${coloured ? 'ansi' : 'txt'}`
}
