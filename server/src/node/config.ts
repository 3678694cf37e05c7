import { closestWord } from '../../../sdk/src/internal/closest-word.ts'
import { flagOf, MistakesError, SETTINGS, type Setting } from './settings.ts'

type SettingName = keyof typeof SETTINGS

type SettingValue<Name extends SettingName> = ReturnType<(typeof SETTINGS)[Name]['parse']>
type WithFallback = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { readonly fallback: string } ? Name : never
}[SettingName]

/** The configuration of a server. */
export type ServerConfig = Readonly<
  { [Name in WithFallback]: SettingValue<Name> } & {
    [Name in Exclude<SettingName, WithFallback>]?: SettingValue<Name>
  }
>

/** Sources of settings. */
export interface ConfigSource {
  /** Environment variables, such as `process.env`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Values of flags, by name without dashes. */
  readonly flags?: Readonly<Record<string, string | undefined>>
}

/** Invalid settings, with one line for each mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** One line for each mistake, without values of secrets. */
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.mistakes = mistakes
  }
}

/**
 * Reads the configuration. An empty variable counts as unset.
 * @throws ConfigError with every mistake
 * @example readConfig({ env: process.env, flags: { port: '0' } })
 */
export function readConfig(source: ConfigSource): ServerConfig {
  const { values, mistakes } = readSettings(Object.keys(SETTINGS) as SettingName[], source)
  mistakes.push(...missingSecrets(values), ...sharedAddress(values))
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return values as ServerConfig
}

export function readSettings<Name extends SettingName>(
  names: readonly Name[],
  { env, flags = {} }: ConfigSource,
): { readonly values: Partial<Pick<ServerConfig, Name>>; readonly mistakes: string[] } {
  if (typeof env !== 'object') throw new TypeError('env must be an object of variables, such as process.env.')
  const mistakes: string[] = []
  const values: Partial<Record<Name, unknown>> = {}
  for (const name of names) {
    const setting: Setting<unknown> = SETTINGS[name]
    const flag = flagOf(setting)
    const fromFlag = flag && flags[flag]
    const text = fromFlag ?? (env[setting.env] || setting.fallback)
    if (text === undefined) continue
    try {
      if (fromFlag !== undefined && setting.holdsSecret?.(fromFlag)) {
        throw new Error(`contains a password, which other users of this machine could read; set ${setting.env} instead`)
      }
      values[name] = setting.parse(text)
    } catch (error) {
      const found = error instanceof MistakesError ? error.mistakes : [(error as Error).message]
      mistakes.push(...found.map((mistake) => `${fromFlag === undefined ? setting.env : `--${flag}`} ${mistake}`))
    }
  }
  return { values: values as Partial<Pick<ServerConfig, Name>>, mistakes }
}

/**
 * Returns a warning for each `FISH_` variable that is neither a setting nor in `known`. The warning suggests a setting
 * with a similar name.
 * @param known names of other variables that begin with `FISH_`
 */
export function unknownVariables({ env }: Pick<ConfigSource, 'env'>, known: readonly string[]): readonly string[] {
  const names = Object.values(SETTINGS).map((setting: Setting<unknown>) => setting.env)
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith('FISH_') || names.includes(name) || known.includes(name)) return []
    const closest = closestWord(name, names)
    return [`${name} has no effect${closest === undefined ? '' : `; did you mean ${closest}?`}`]
  })
}

function sharedAddress({ host, port, metrics }: Partial<ServerConfig>): string[] {
  const isShared = typeof metrics === 'object' && port !== 0 && metrics.port === port && metrics.host === host
  return isShared ? [`${SETTINGS.metrics.env} is the address of the server itself. Set another port, or on`] : []
}

/** Processes that share a Redis must share their secrets. With other storages, the server generates missing secrets. */
function missingSecrets({ storage, secret, jwtSecret }: Partial<ServerConfig>): string[] {
  if (!storage?.driver.startsWith('redis')) return []
  const required = (env: string, use: string) => `${env} is required with Redis, the same in every process: ${use}`
  return [
    ...(secret ? [] : [required(SETTINGS.secret.env, 'it encrypts keys at rest')]),
    ...(jwtSecret ? [] : [required(SETTINGS.jwtSecret.env, 'it signs sessions')]),
  ]
}
