import { rm } from 'node:fs/promises'
import { commandLine } from '../../core/argv.ts'
import { localTime } from '../../core/time.ts'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { gamemodeFlag, passwordStdinFlag, serviceFlags, yesFlags } from '../../kit/flags.ts'
import { noteUnsent } from '../../session/outbox.ts'
import { type Config, DEFAULT_PROFILE, isUnencrypted, parseProfileName, replacesLogin } from '../../session/profiles.ts'
import { checkSecretsUpdate, saveLogin } from '../../session/secrets.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { fetchPlayerKey, fetchSession } from './fetch-login.ts'
import { type ReadLogin, readLoginFile } from './login-file.ts'
import { loginOf, promptForMissing, sessionFor } from './login-target.ts'

export const loginCommand = defineCommand({
  summary: 'Log in with your password and store your key for all commands.',
  description:
    'The command prompts for missing values: the service, the player, the gamemode and the password. The password ' +
    'is used once and never stored. Your key is stored in the system keyring if the system has one, otherwise in ' +
    'a file that only you can read. With --from, all values come from a login file that an administrator made. ' +
    'With --admin, the command logs in as an administrator and stores the session.',
  examples: [
    'fish-cli login --from alex.json',
    'fish-cli login Alex --url https://fish.example.org --gamemode earth',
    {
      description: 'In a script, with a password manager:',
      command: 'pass fish/alex | fish-cli login Alex --password-stdin --no-input',
    },
    { description: 'A second account:', command: 'fish-cli login Bob --profile bob' },
    { description: 'Log in as an administrator:', command: 'fish-cli login admin --admin' },
  ],
  args: { user: Args.string({ description: 'player or administrator to log in as (FISH_USER)' }) },
  flags: {
    from: Flags.string({
      summary: 'Log in with a login file that an administrator made.',
      helpValue: 'FILE',
      exclusive: ['admin', 'password-stdin', 'with-api-key'],
    }),
    admin: Flags.boolean({ summary: 'Log in as an administrator.' }),
    ...passwordStdinFlag,
    'with-api-key': Flags.boolean({
      summary: 'Also store an API key, from FISH_API_KEY, FISH_API_KEY_FILE or a prompt.',
      exclusive: ['admin'],
    }),
    ...gamemodeFlag,
    ...serviceFlags,
    ...yesFlags,
  },
  completion: { from: { paths: 'files' } },

  role: ({ flags }) => (flags.admin ? 'administrator' : 'player'),

  async run({ session, terminal, args, flags }) {
    const { config } = session
    const { admin: asAdmin, from } = flags
    const file = from === undefined ? undefined : await readLoginFile(from, args.user)
    const given = sessionFor(session, { ...flags, asAdmin, named: args.user, file: file?.login })
    const name = parseProfileName(given.target.profileName?.value ?? DEFAULT_PROFILE)
    // A wrong gamemode is reported before a problem with files.
    if (!asAdmin) await given.optionalGamemode()
    // Before the prompts for credentials, checks that the credentials can be saved.
    const store = await checkSecretsUpdate(session.system, config, name)
    const own = asAdmin ? given : await promptForMissing(given)
    const login = loginOf(own, asAdmin)
    if (replacesLogin(config.profiles.get(name), login)) {
      terminal.note('To keep both accounts, enter n and repeat the command with --profile NAME.')
      await terminal.confirm(`Profile ${name} belongs to another account or service. Replace it`)
    }
    if (isUnencrypted(login.url)) {
      terminal.note(`${login.url} is not encrypted: the password can be read in transit.`)
    }
    const secrets = await (asAdmin ? fetchSession : fetchPlayerKey)(own, {
      fromStdin: flags['password-stdin'],
      withApiKey: flags['with-api-key'],
      known: file?.login,
    })
    await saveLogin(session.system, name, login, secrets)
    await noteUnsent(session, config.profiles.get(name), login.url)
    const expiresAt = secrets.session?.expiresAt
    const status = terminal.print({ profile: name, ...login, secrets: store.kind, expiresAt }, () => {
      const until = `The session, valid until ${localTime(expiresAt ?? '')} (local time),`
      const stored = `${expiresAt === undefined ? 'Your key' : until} is stored in ${store.title}`
      const text = `Logged in to ${login.url} as ${login.admin ?? login.user}. ${stored}, profile ${name}.`
      return [text, ...profileSwitch(name, config)]
    })
    if (file) await offerDeletion(terminal, from ?? '', file)
    return status
  },
})

/** Deletes the login file only after a confirmation, because the file may be the only copy of the password. */
async function offerDeletion(terminal: Terminal, path: string, { login, isShared }: ReadLogin): Promise<void> {
  if (!terminal.canPrompt) {
    const others = isShared ? ', and others can read it' : ''
    const advice = login.password === undefined ? 'Delete' : 'Write the password down, then delete'
    return terminal.note(`${path} contains your secrets${others}. ${advice} the file.`)
  }
  const about = [
    ...(isShared ? [`Others can read ${path}.`] : []),
    login.password === undefined
      ? `${path} contains your keys.`
      : `${path} contains your password, which is not stored anywhere else. You need the password for undo, ` +
        'remove, move and the next login. If you have not written the password down yet, enter n.',
  ]
  if (!(await terminal.ask(`Delete ${path}`, about))) return
  await rm(path)
  terminal.note(`Deleted ${path}.`)
}

/** A first login to the default profile changes nothing for the user. */
function profileSwitch(name: string, { current }: Config): readonly string[] {
  if (name === (current ?? DEFAULT_PROFILE)) return []
  const back = current === undefined ? '' : ` To switch back: ${commandLine('profile', current)}`
  return [`The current profile is now ${name}.${back}`]
}
