import { EXIT } from '../src/core/errors.ts'
import { EXIT_MEANINGS } from '../src/help/exit-codes.ts'
import type { ExamplePage, FlagPage } from './command-pages.ts'
import type { Variable } from './environment.ts'
import { FILES } from './files.ts'
import { bold, entry, escaped, italic, line, verbatim } from './roff.ts'

/** The section of the manual that commands are in. */
export const SECTION = '1'

/** NAME: what `apropos` finds; one sentence without its end. */
export function name(page: string, summary: string): readonly string[] {
  const [first = ''] = summary.split(/\.(?:\s|$)/)
  return ['.SH NAME', `${escaped(page)} \\- ${escaped(first.charAt(0).toLowerCase() + first.slice(1))}`]
}

/** One part of a synopsis: flags are bold, values italic, and it stays in one line. */
export function element(text: string): string {
  return text
    .split(/([[\]| ]|\.\.\.)/)
    .map((part) => {
      if (part === ' ') return '\\ '
      if (part.startsWith('-')) return bold(part)
      return /^[A-Z]/.test(part) ? italic(part) : escaped(part)
    })
    .join('')
}

/** OPTIONS: one of them. */
export function flag({ name: long, char, value, summary, fallback, required }: FlagPage): readonly string[] {
  const short = char === undefined ? '' : `${bold(`-${char}`)}, `
  const notes = [...(required ? ['Required.'] : []), ...(fallback === undefined ? [] : [`Default: ${fallback}.`])]
  const label = `${short}${bold(`--${long}`)}${value === undefined ? '' : `=${element(value)}`}`
  return entry(label, [summary, ...notes].join(' '))
}

/** ENVIRONMENT: what the command hears. */
export function environment(variables: readonly Variable[]): readonly string[] {
  return [
    '.SH ENVIRONMENT',
    ...variables.flatMap(({ name: variable, meaning, file }) =>
      entry(
        file ? `${bold(variable)}, ${bold(`${variable}_FILE`)}` : bold(variable),
        file ? fromFile(meaning) : meaning,
      ),
    ),
  ]
}

function fromFile(meaning: string): string {
  return `${meaning} The second names a file that holds it.`
}

/** EXIT STATUS: the same for all. */
export function exitStatus(): readonly string[] {
  return [
    '.SH EXIT STATUS',
    ...Object.entries(EXIT_MEANINGS).flatMap(([code, meaning]) =>
      entry(bold(String(EXIT[code as keyof typeof EXIT])), `${capital(meaning)}.`),
    ),
  ]
}

/** The lines of EXAMPLES: what each does, and what is typed, indented and word for word. */
export function exampleLines(examples: readonly ExamplePage[]): readonly string[] {
  return examples.flatMap(({ description, command }, index) => [
    // A paragraph may not be empty, nor begin a section: mandoc warns of both.
    ...(description === undefined ? [] : [...(index === 0 ? [] : ['.PP']), line(description)]),
    ...(description === undefined && index === 0 ? [] : ['.sp']),
    '.RS 4',
    ...verbatim([command]),
    '.RE',
  ])
}

/** FILES: those of Linux, where manual pages are read most. */
export function files(): readonly string[] {
  return ['.SH FILES', ...FILES.flatMap(({ linux, meaning }) => entry(italic(linux), meaning))]
}

/** SEE ALSO: other pages, by name. */
export function seeAlso(names: readonly string[]): readonly string[] {
  const references = names.map((each) => `${bold(each)}(${SECTION})`)
  return [
    '.SH SEE ALSO',
    references.map((each, index) => (index < references.length - 1 ? `${each},` : each)).join('\n'),
  ]
}

/** A text that begins a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
