/** The file of a page that was written when the program was built: what `--help` prints about a command or topic. */
export function pageFile(id: string, coloured: boolean): string {
  return `${id === '' ? 'index' : id.replaceAll(':', ' ')}.${coloured ? 'ansi' : 'txt'}`
}

// The short one is what newcomers type first; no command has another use for it.
const HELP_FLAGS = ['--help', '-h']

/** The words of a command line that asks for help, without `help` and flags; `undefined` when it does not. */
export function helpWords(argv: readonly string[]): readonly string[] | undefined {
  const end = argv.indexOf('--')
  const flags = end === -1 ? argv : argv.slice(0, end)
  const [first] = argv
  if (first !== undefined && first !== 'help' && !HELP_FLAGS.some((flag) => flags.includes(flag))) return undefined
  const words = flags.filter((word) => !word.startsWith('-'))
  return words[0] === 'help' ? words.slice(1) : words
}

const VERSION_WORDS = ['--version', '-v', 'version']

/** Whether a command line asks for {@link versionText}. */
export function isVersionRequest([first = '']: readonly string[]): boolean {
  return VERSION_WORDS.includes(first)
}

/** The id of the page that words are about: the longest command or topic that they begin with. */
export function findPage(words: readonly string[], ids: { has(id: string): boolean }): string | undefined {
  if (words.length === 0) return ''
  for (const length of [2, 1]) {
    const id = words.slice(0, length).join(':')
    if (words.length >= length && ids.has(id)) return id
  }
  return undefined
}

/** What `--version`, `-v` and `version` print. */
export function versionText({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`
}
