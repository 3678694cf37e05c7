import { type CliError, usageError } from '../failures/cli-error.ts'

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
// oclif's words for a flag that has to be there.
const MISSING = /Missing required flag ([a-z-]+)/

/**
 * Tells what was typed wrongly without repeating values: behind a flag that does not exist there may be a secret,
 * and what looks like one argument too many may be its value. What has no hint gets the help of the command.
 */
export function parseFailure(error: unknown): CliError {
  const { flags, args, message } = error as ParseErrorFields
  if (flags) {
    const names = flags.map(flagName)
    const secret = SECRET_VARIABLES.find(([pattern]) => names.some((name) => pattern.test(name)))
    const unknown = `There is no flag ${names.join(', ')}.`
    if (!secret) return usageError(unknown)
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
  return usageError(message.replace(/\n?See more help with --help$/, ''))
}

/** A flag without its value: `--name=value`, or `-nvalue`. */
function flagName(flag: string): string {
  const name = flag.startsWith('--') ? flag.replace(/=.*$/s, '') : flag.slice(0, 2)
  return name.length <= 40 ? name : '--…'
}
