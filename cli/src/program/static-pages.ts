import { flagWords } from '../core/argv.ts'

export function pageFile(id: string, coloured: boolean): string {
  return `${id === '' ? 'index' : id.replaceAll(':', ' ')}.${coloured ? 'ansi' : 'txt'}`
}

// No command uses -h for a purpose other than help.
const HELP_FLAGS = ['--help', '-h']

/**
 * Returns the words after `help`, or the words of a command line with a help flag. Returns `undefined` if no help is
 * requested.
 */
export function helpWords(argv: readonly string[]): readonly string[] | undefined {
  const flags = flagWords(argv)
  const [first] = argv
  if (first !== undefined && first !== 'help' && !HELP_FLAGS.some((flag) => flags.includes(flag))) return undefined
  const words = flags.filter((word) => !word.startsWith('-'))
  return words[0] === 'help' ? words.slice(1) : words
}

export function isVersionRequest([first = '']: readonly string[]): boolean {
  return ['--version', '-v', '-V', 'version'].includes(first)
}

/** Returns the longest command or topic that the words begin with. */
export function findPage(words: readonly string[], ids: { has(id: string): boolean }): string | undefined {
  if (words.length === 0) return ''
  for (const length of [2, 1]) {
    const id = words.slice(0, length).join(':')
    if (words.length >= length && ids.has(id)) return id
  }
  return undefined
}

export function versionText({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`
}
