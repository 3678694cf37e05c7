import { usageError } from '../core/errors.ts'

/**
 * Refuses a value for a flag that takes none. oclif would take it as an argument instead: `--password-stdin=SECRET`
 * would make a user name of the secret.
 *
 * @throws CliError that does not repeat the value
 */
export function refuseBooleanValues(
  argv: readonly string[],
  flags: Readonly<Record<string, { readonly type: string }>>,
): void {
  for (const word of argv) {
    if (word === '--') return
    const name = /^--([a-z-]+)=/s.exec(word)?.[1]
    if (name !== undefined && Object.hasOwn(flags, name) && flags[name]?.type === 'boolean') {
      throw usageError(`--${name} takes no value.`)
    }
  }
}
