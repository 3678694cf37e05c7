import { closestWord } from '../core/closest-word.ts'
import { type CliError, usageError } from '../core/errors.ts'

// What oclif's errors of parsing carry; their classes are not exported.
interface ParseErrorFields {
  readonly message: string
  readonly flags?: readonly string[]
  readonly args?: readonly (string | { readonly name: string })[]
}

const SECRET_VARIABLES: readonly (readonly [RegExp, string])[] = [
  [/admin.*pass/i, 'FISH_ADMIN_PASSWORD or FISH_ADMIN_PASSWORD_FILE'],
  [/pass|pwd/i, 'FISH_PASSWORD or FISH_PASSWORD_FILE'],
  [/api/i, 'FISH_API_KEY or FISH_API_KEY_FILE'],
  [/key|secret|token/i, 'FISH_KEY or FISH_KEY_FILE'],
]

// oclif's words for flags that exclude each other; between them stands the value.
const TOGETHER = /(--[a-z-]+)=.* cannot also be provided when using (--[a-z-]+)/s
// oclif's words for a flag with nothing behind it, and for one that is there twice.
const EMPTY = /^Flag (--[a-z-]+) expects a value/
const TWICE = /^Flag (--[a-z-]+) can only be specified once/
// oclif's words for a flag that has to be there.
const MISSING = /Missing required flag ([a-z-]+)/

/**
 * Tells what was typed wrongly without repeating values: behind a flag that does not exist there may be a secret,
 * and what looks like one argument too many may be its value. What has no hint gets the help of the command.
 *
 * @param id The command, with `:` for the space between words.
 * @param known Names of the flags that it has.
 */
export function parseFailure(error: unknown, id: string, known: readonly string[]): CliError {
  const { flags, args, message } = error as ParseErrorFields
  if (flags) {
    const names = flags.map(flagName)
    const secret = SECRET_VARIABLES.find(([pattern]) => names.some((name) => pattern.test(name)))
    const unknown = `There is no flag ${names.join(', ')}.`
    if (!secret) return usageError(unknown, meantFlag(names, id, known))
    return usageError(
      unknown,
      `A secret is never an argument: others on this machine can read it there. Set ${secret[1]}.`,
    )
  }
  if (args?.every((arg) => typeof arg === 'string')) return usageError('There are too many arguments.')
  if (args) {
    const missing = args.map((arg) => (typeof arg === 'string' ? arg : arg.name.toUpperCase()))
    return usageError(`Missing: ${missing.join(', ')}.`)
  }
  const [, needed] = MISSING.exec(message) ?? []
  if (needed !== undefined) return usageError(`Missing: --${needed}.`)
  const [, one, other] = TOGETHER.exec(message) ?? []
  if (one !== undefined) return usageError(`${one} and ${other} cannot be given together.`)
  const [, empty] = EMPTY.exec(message) ?? []
  if (empty !== undefined) return usageError(`${empty} needs a value.`)
  const [, twice] = TWICE.exec(message) ?? []
  if (twice !== undefined) return usageError(`${twice} can be given only once.`)
  return usageError(message.replace(/\n?See more help with --help$/, ''))
}

/** The flag that was probably meant, and where all are told. Only names of `known` are answered. */
function meantFlag(
  [first = '', ...others]: readonly string[],
  id: string,
  known: readonly string[],
): string | undefined {
  const meant = others.length === 0 ? closestWord(first.replace(/^-+/, ''), known) : undefined
  return meant === undefined ? undefined : `Did you mean: --${meant}? See: fish-cli ${id.replaceAll(':', ' ')} --help`
}

/** A flag without its value: `--name=value`, or `-nvalue`. */
function flagName(flag: string): string {
  const name = flag.startsWith('--') ? flag.replace(/=.*$/s, '') : flag.slice(0, 2)
  return name.length <= 40 ? name : '--…'
}
