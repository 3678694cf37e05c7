import { SETTINGS, type Setting, serve } from '@fish-crab/server'
import { Flags, type Interfaces } from '@oclif/core'
import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import { useColours } from '../output/screen.ts'
import { readManifest } from '../package.ts'
import { FishCommand } from '../runtime/fish-command.ts'
import { listenLineAsJson, startErrors } from '../servers/serve-streams.ts'

const ALL_SETTINGS: readonly Setting<unknown>[] = Object.values(SETTINGS)
const BY_FLAG = ALL_SETTINGS.flatMap((setting) =>
  setting.flag === undefined ? [] : [{ ...setting, flag: setting.flag, placeholder: setting.placeholder ?? 'VALUE' }],
)
const ENVIRONMENT_ONLY = ALL_SETTINGS.filter(({ flag }) => flag === undefined)

/** `fish-cli serve` */
export class Serve extends FishCommand {
  static override summary = 'Run the service until it is told to stop.'
  static override description = [
    'Every flag has a variable, named behind it; a flag wins. stdout gets one line when the service is ready; the log goes to stderr.',
    'Secrets come from the environment alone:',
    ...ENVIRONMENT_ONLY.map(({ env, summary }) => `${env}: ${summary}`),
  ].join('\n')
  static override examples = [
    '<%= config.bin %> serve',
    '<%= config.bin %> serve --port 0 --storage memory:',
    '<%= config.bin %> serve --host 0.0.0.0 --storage file:/var/lib/fish --log json',
  ]
  static override flags: Record<string, Interfaces.OptionFlag<string | undefined>> = Object.fromEntries(
    BY_FLAG.map(({ flag, placeholder, env, summary, fallback }) => [
      flag,
      Flags.string({
        summary: `${summary.charAt(0).toUpperCase()}${summary.slice(1)} (${env}${fallback === undefined ? '' : `, else ${fallback}`}).`,
        helpValue: placeholder,
      }),
    ]),
  )

  async run(): Promise<number> {
    const { flags } = await this.parse(Serve)
    const { json, ...given } = flags as Record<string, string | undefined> & { readonly json?: boolean }
    const { env, stdout, stderr, stopWishes } = this.io
    const settings = {
      env,
      flags: given,
      version: readManifest().version,
      colours: useColours(env, stderr),
      stopRequested: stopWishes(),
    }
    if (!json) return serve({ ...settings, stdout, stderr })

    const errors = startErrors(stderr)
    const status = await serve({ ...settings, stdout: listenLineAsJson(stdout), stderr: errors.stream })
    if (status === EXIT.ok || status === EXIT.interrupted) return status
    const code = status === EXIT.usage ? 'invalid_configuration' : 'start_failed'
    const exit = status === EXIT.usage || status === EXIT.unreachable ? status : EXIT.failure
    throw new CliError({ code, message: errors.lines().join(' '), hint: 'See: fish-cli serve --help', exit })
  }
}
