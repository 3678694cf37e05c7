import type { Interfaces } from '@oclif/core'
import { CLIError } from '@oclif/core/errors'
import { parse } from '@oclif/core/parser'
import { closestWord } from '../../../sdk/src/internal/closest-word.ts'
import { flagWords } from '../core/argv.ts'
import { type CliError, usageError } from '../core/errors.ts'
import { type Command, type CommandInput, globalFlags } from '../kit/define.ts'

type FlagInput = Interfaces.FlagInput

/** Parses arguments and flags. Errors never repeat a value, because a misplaced value may be a secret. */
export async function parseInput(
  command: Command & { readonly id: string },
  argv: readonly string[],
): Promise<CommandInput> {
  const defined: FlagInput = { ...command.flags, ...globalFlags }
  checkBooleans(argv, defined)
  const { args, flags } = await parse([...argv], { args: command.args, flags: defined }).catch((error: unknown) => {
    throw parseError(error, command.id, defined)
  })
  return { args, flags }
}

/**
 * Rejects values of boolean flags. oclif would parse such a value as an argument: `add Salmon --crab=false` would add
 * two crabs.
 */
function checkBooleans(argv: readonly string[], flags: FlagInput): void {
  for (const word of flagWords(argv)) {
    const [, name = ''] = /^--([^=]+)=/.exec(word) ?? []
    if (Object.hasOwn(flags, name) && flags[name]?.type === 'boolean') throw usageError(`--${name} takes no value.`)
  }
}

// The fields of oclif's parse errors. oclif does not export the classes of these errors.
interface ParseErrorFields {
  readonly flags?: readonly string[]
  readonly args?: readonly (string | { readonly name: string })[]
  readonly parse?: { readonly output: { readonly flags: Readonly<Record<string, unknown>> } }
}

const SECRET_VARIABLES: readonly (readonly [RegExp, string])[] = [
  [/admin.*pass/i, 'FISH_ADMIN_PASSWORD or FISH_ADMIN_PASSWORD_FILE'],
  [/pass|pwd/i, 'FISH_PASSWORD or FISH_PASSWORD_FILE'],
  [/api/i, 'FISH_API_KEY or FISH_API_KEY_FILE'],
  [/key|secret|token/i, 'FISH_KEY or FISH_KEY_FILE'],
]

function parseError(error: unknown, id: string, defined: FlagInput): unknown {
  const { flags, args, parse: parsed } = error as ParseErrorFields
  if (flags) return unknownFlags(flags.map(flagName), id, [...Object.keys(defined), 'help'])
  if (args?.every((arg) => typeof arg === 'string')) return usageError('Too many arguments.')
  if (args) {
    const missing = args.map((arg) => (typeof arg === 'string' ? arg : arg.name.toUpperCase()))
    return usageError(`Missing: ${missing.join(', ')}.`)
  }
  if (parsed) return flagConflict(defined, parsed.output.flags) ?? error
  // The value of a flag is missing, or a flag is given twice. The message names only the flag.
  return error instanceof CLIError ? usageError(`${error.message}.`) : error
}

function unknownFlags(names: readonly string[], id: string, known: readonly string[]): CliError {
  const message = `Unknown flag ${names.join(', ')}.`
  const secret = SECRET_VARIABLES.find(([pattern]) => names.some((name) => pattern.test(name)))
  if (secret) {
    const hint = `Arguments are visible to others on this machine, so secrets are not accepted as arguments. Set ${secret[1]}.`
    return usageError(message, hint)
  }
  const [first = '', ...others] = names
  const closest = others.length === 0 ? closestWord(first.replace(/^-+/, ''), known) : undefined
  const help = `See: fish-cli ${id.replaceAll(':', ' ')} --help`
  return usageError(message, closest === undefined ? undefined : `Did you mean: --${closest}? ${help}`)
}

function flagName(flag: string): string {
  const name = flag.startsWith('--') ? flag.replace(/=.*/s, '') : flag.slice(0, 2)
  return name.length <= 40 ? name : '--…'
}

function flagConflict(defined: FlagInput, given: Readonly<Record<string, unknown>>): CliError | undefined {
  for (const [name, { exclusive = [], dependsOn = [], required }] of Object.entries(defined)) {
    if (given[name] === undefined) {
      if (required) return usageError(`Missing: --${name}.`)
      continue
    }
    const other = exclusive.find((each) => typeof each === 'string' && given[each] !== undefined)
    if (other !== undefined) return usageError(`--${name} and --${other} cannot be given together.`)
    const needed = dependsOn.find((each) => given[each] === undefined)
    if (needed !== undefined) return usageError(`--${name} needs --${needed}.`)
  }
  return undefined
}
