/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What the environment may say, where options do not. */
const VARIABLES = {
  baseUrl: 'FISH_URL',
  user: 'FISH_USER',
  fernetKey: 'FISH_KEY',
  apiKey: 'FISH_API_KEY',
  gamemode: 'FISH_GAMEMODE',
} as const

/** Options with what they leave out taken from the environment; an empty variable says nothing. */
export function withEnvironment<
  Options extends { readonly [Name in keyof typeof VARIABLES]?: unknown } & { readonly env?: Environment | undefined },
>(options: Options): Options {
  const env = options.env ?? processEnvironment()
  const said = Object.entries(VARIABLES).flatMap(([option, variable]) => {
    const value = options[option as keyof typeof VARIABLES] ?? (env[variable] || undefined)
    return value === undefined ? [] : [[option, value]]
  })
  return { ...options, ...Object.fromEntries(said) }
}

/** The variable behind an option, for messages. */
export function variableOf(option: string): string | undefined {
  return Object.hasOwn(VARIABLES, option) ? VARIABLES[option as keyof typeof VARIABLES] : undefined
}

// Browsers have no process, and Deno may forbid to read it.
function processEnvironment(): Environment {
  try {
    return (globalThis as { process?: { env?: Environment } }).process?.env ?? {}
  } catch {
    return {}
  }
}
