import type { Interfaces } from '@oclif/core'
import { parse } from '@oclif/core/parser'
import { closestWord } from '../../../sdk/src/internal/closest-word.ts'
import { type Command, type CommandInput, globalFlags } from '../command/define.ts'
import { type CliError, usageError } from '../core/errors.ts'

type FlagInput = Interfaces.FlagInput

/** Errors never repeat a value: a misplaced one may be a secret. */
export async function parseInput(
  command: Command & { readonly id: string },
  argv: readonly string[],
): Promise<CommandInput> {
  const defined: FlagInput = { ...command.flags, ...globalFlags }
  checkFlagWords(argv, defined)
  const { args, flags } = await parse([...argv], { args: command.args, flags: defined }).catch((error: unknown) => {
    throw parseError(error, command.id, defined)
  })
  return { args, flags: resolveFlags(flags) }
}

/** Gamemodes are in lower case. */
function resolveFlags(typed: Readonly<Record<string, unknown>>): CommandInput['flags'] {
  const { gamemode } = typed
  return typeof gamemode === 'string' ? { ...typed, gamemode: gamemode.toLowerCase() } : { ...typed }
}

/** Rejects what the parser of oclif would accept or report without structure, as a value for a flag without one. */
function checkFlagWords(argv: readonly string[], flags: FlagInput): void {
  const given = new Set<string>()
  const words = [...argv]
  for (let word = words.shift(); word !== undefined && word !== '--'; word = words.shift()) {
    const { name, value } = readFlag(word, flags)
    const flag = name === undefined ? undefined : flags[name]
    if (name === undefined || !flag) continue
    if (flag.type === 'boolean') {
      if (value !== undefined && word.startsWith('--')) throw usageError(`--${name} takes no value.`)
      // The rest of short flags in one word, such as -dy.
      if (value !== undefined) words.unshift(`-${value}`)
      continue
    }
    if (given.has(name) && !flag.multiple) throw usageError(`--${name} can be given only once.`)
    given.add(name)
    const text = value ?? words.shift()
    const next = text === undefined ? undefined : readFlag(text, flags)
    if (text === undefined || (next?.name !== undefined && (next.value === undefined || !text.startsWith('--')))) {
      throw usageError(`--${name} needs a value.`)
    }
  }
}

function readFlag(word: string, flags: FlagInput) {
  const [, long, longValue] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? []
  if (long !== undefined) return { name: Object.hasOwn(flags, long) ? long : undefined, value: longValue }
  const [, char, shortValue] = /^-([^-])=?(.+)?$/s.exec(word) ?? []
  return {
    name: Object.keys(flags).find((name) => flags[name]?.char === char && char !== undefined),
    value: shortValue,
  }
}

// The fields of oclif's parse errors; it does not export their classes.
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
  return parsed ? (flagConflict(defined, parsed.output.flags) ?? error) : error
}

function unknownFlags(names: readonly string[], id: string, known: readonly string[]): CliError {
  const message = `Unknown flag ${names.join(', ')}.`
  const secret = SECRET_VARIABLES.find(([pattern]) => names.some((name) => pattern.test(name)))
  if (secret) {
    const hint = `Arguments are visible to others on this machine, so secrets are not accepted there. Set ${secret[1]}.`
    return usageError(message, hint)
  }
  const [first = '', ...others] = names
  const closest = others.length === 0 ? closestWord(first.replace(/^-+/, ''), known) : undefined
  const help = `See: fish-cli ${id.replaceAll(':', ' ')} --help`
  return usageError(message, closest === undefined ? undefined : `Did you mean: --${closest}? ${help}`)
}

function flagName(flag: string): string {
  const name = flag.startsWith('--') ? flag.replace(/=.*$/s, '') : flag.slice(0, 2)
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
