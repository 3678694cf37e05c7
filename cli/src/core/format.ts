/** The flags that select the format of rows. */
export interface OutputFlags {
  readonly json?: boolean | undefined
  readonly csv?: boolean | undefined
}

/** Does not parse the arguments, so that errors about arguments can be JSON too. */
export function hasJsonFlag(argv: readonly string[]): boolean {
  return flagWords(argv).includes('--json')
}

export function hasNoColourFlag(argv: readonly string[]): boolean {
  return flagWords(argv).includes('--no-color')
}

export function hasDebugFlag(argv: readonly string[]): boolean {
  return flagWords(argv).includes('--debug')
}

// Words after `--` are not flags.
export function flagWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}
