import { Writable } from 'node:stream'
import { flagOf, SETTINGS, type Setting, serve } from '@fish-crab/server'
import { CliError, EXIT, type ExitStatus } from '../../core/errors.ts'
import type { Tty } from '../../core/system.ts'
import { defineCommand, Flags, words } from '../../kit/define.ts'
import { readManifest } from '../../package.ts'
import { SETTINGS as CLIENT_SETTINGS } from '../../session/settings.ts'
import { useColours } from '../../terminal/screen.ts'

const ALL_SETTINGS: readonly Setting<unknown>[] = Object.values(SETTINGS)
const BY_FLAG = ALL_SETTINGS.flatMap((setting) => {
  const [flag, placeholder] = [flagOf(setting), setting.placeholder]
  return flag && placeholder ? [{ ...setting, flag, placeholder }] : []
})
const ENVIRONMENT_ONLY = ALL_SETTINGS.filter((setting) => flagOf(setting) === undefined)

/** The variables of other commands. */
const CLIENT_VARIABLES = ['KEY', 'API_KEY', 'PASSWORD', 'ADMIN_PASSWORD', 'NEW_ADMIN_PASSWORD']
  .flatMap((name) => [name, `${name}_FILE`])
  .concat('URL', 'USER', 'PROFILE', 'CLI_LINE')
  .map((name) => `FISH_${name}`)
  .concat(Object.values(CLIENT_SETTINGS).map(({ variable }) => variable))

export const serveCommand = defineCommand({
  summary: 'Run the service until it is stopped.',
  description: [
    'Every flag has an environment variable, in parentheses. The flag takes precedence. When the service is ' +
      'ready, the command prints one line to stdout. The log goes to stderr.',
    'Secrets come only from the environment:',
    ...ENVIRONMENT_ONLY.map(({ env, summary }) => `${env}: ${summary}`),
  ].join('\n'),
  examples: [
    'fish-cli serve',
    'fish-cli serve --port 0 --storage memory:',
    'fish-cli serve --host 0.0.0.0 --storage file:/var/lib/fish --log json',
  ],
  flags: Object.fromEntries(
    BY_FLAG.map(({ flag, placeholder, env, summary, fallback }) => [
      flag,
      Flags.string({
        summary: `${summary.charAt(0).toUpperCase()}${summary.slice(1)} (${env}${fallback === undefined ? '' : `, else ${fallback}`}).`,
        helpValue: placeholder,
      }),
    ]),
  ),
  completion: { log: words(['pretty', 'json', 'silent']) },

  async run({ session, flags }) {
    const { json, ...given } = flags as Record<string, string | undefined> & { readonly json?: boolean }
    const { env, stdout, stderr, stopRequests, passwords } = session.system
    const settings = {
      env,
      flags: given,
      version: readManifest().version,
      otherVariables: CLIENT_VARIABLES,
      colours: useColours(env, stderr),
      stopRequested: stopRequests(),
      ...(passwords ? { passwords } : {}),
    }
    if (!json) return serve({ ...settings, stdout, stderr })

    const errors = startErrors(stderr)
    const status = await serve({ ...settings, stdout: listenLineAsJson(stdout), stderr: errors.stream })
    if (status === EXIT.ok || status === EXIT.interrupted) return status
    const code = status === EXIT.usage ? 'invalid_configuration' : 'start_failed'
    const hint = 'See: fish-cli serve --help'
    throw new CliError({ code, message: errors.lines.join(' '), hint, exit: status as ExitStatus })
  },
})

const PREFIX = 'fish-cli serve: '

function listenLineAsJson(stdout: Writable): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      const url = text.trim().replace(/^listening on /, '')
      stdout.write(`${JSON.stringify({ listening: url })}\n`)
      done()
    },
  })
}

function startErrors(stderr: Tty<Writable>) {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n')) {
        const text = line.startsWith('{') ? String(JSON.parse(line).msg) : line
        if (text.startsWith(PREFIX)) lines.push(text.slice(PREFIX.length).trim())
      }
      // A slow reader of stderr delays the callback, so that the log can limit its backlog.
      if (stderr.write(chunk)) done()
      else stderr.once('drain', () => done())
    },
  })
  return { stream: Object.assign(stream, stderr.isTTY === undefined ? {} : { isTTY: stderr.isTTY }), lines }
}
