import { adminNameOf } from '../client/admin.ts'
import { findIdentity } from '../client/identity.ts'
import { fetchPlayerKey, fetchSession } from '../client/login.ts'
import { noteUnsent } from '../client/outbox.ts'
import { Args, type CommandContext, defineCommand, Flags } from '../command/define.ts'
import { gamemodeFlag, serviceFlags, yesFlags } from '../command/flags.ts'
import { applyLogin, changeConfig, type LoginTarget, replacesLogin } from '../config/config-file.ts'
import { DEFAULT_PROFILE, isUnencrypted, parseProfileName } from '../config/profile.ts'
import { mergeLogin } from '../config/secret-store.ts'
import { checkSecretsUpdate, updateSecrets } from '../config/secrets.ts'
import { gamemodeOf, resolveTarget, type Target } from '../config/target.ts'
import type { Config } from '../core/context.ts'
import { localTime } from '../core/time.ts'
import { confirm } from '../output/prompt.ts'
import { printable } from '../output/text.ts'

export const loginCommand = defineCommand({
  summary: 'Log in with your password and store your key for all commands.',
  description:
    'The password comes from a prompt, FISH_PASSWORD, FISH_PASSWORD_FILE or --password-stdin; it is used once and not ' +
    'stored. The key is stored in the system keyring if there is one, otherwise in a file that only you can read. With ' +
    '--admin, USER is an administrator (FISH_ADMIN_PASSWORD), and a session that expires is stored instead.',
  examples: [
    'fish-cli login Alex --url https://fish.example.org --gamemode earth',
    {
      description: 'In a script, with a password manager:',
      command: 'pass fish/alex | fish-cli login Alex --password-stdin --no-input',
    },
    { description: 'A second account:', command: 'fish-cli login Bob --profile bob' },
    { description: 'As an administrator:', command: 'fish-cli login admin --admin' },
  ],
  args: { user: Args.string({ description: 'player or administrator to log in as (FISH_USER)' }) },
  flags: {
    admin: Flags.boolean({ summary: 'Log in as an administrator.' }),
    'password-stdin': Flags.boolean({ summary: 'Read the password from stdin.' }),
    'with-api-key': Flags.boolean({
      summary: 'Also store an API key (FISH_API_KEY, FISH_API_KEY_FILE, else prompt).',
      exclusive: ['admin'],
    }),
    ...gamemodeFlag,
    ...serviceFlags,
    ...yesFlags,
  },

  role: ({ flags }) => (flags.admin ? 'administrator' : 'player'),

  async run(context) {
    const { args, flags, config } = context
    const { admin: asAdmin, ...rest } = flags
    const target = resolveTarget(context, { ...rest, [asAdmin ? 'admin' : 'user']: args.user }, true)
    const name = parseProfileName(target.profileName?.value ?? DEFAULT_PROFILE)
    const login = asAdmin ? { url: target.url.value, admin: adminNameOf(target) } : playerLogin(target)
    // Checks that credentials can be saved before prompting for them.
    const store = await checkSecretsUpdate(context, config, name)
    if (replacesLogin(config.profiles.get(name), login)) {
      const question = `Profile ${name} belongs to another account or service. Replace it`
      await confirm(context, { question, ...flags })
    }
    if (isUnencrypted(login.url)) {
      context.note(`${printable(login.url)} is not encrypted: the password can be read in transit.`)
    }
    const secrets = await (asAdmin ? fetchSession : fetchPlayerKey)(context, target, {
      noInput: flags['no-input'],
      fromStdin: flags['password-stdin'],
      withApiKey: flags['with-api-key'],
    })
    const changed = await changeConfig(context, (current) => applyLogin(current, name, login))
    await updateSecrets(context, changed, name, (stored) => mergeLogin(stored, secrets))
    noteUnsent(context, config.profiles.get(name), login.url)
    if (!asAdmin && !flags['with-api-key'] && context.stderr.isTTY) await offerApiKey(context, changed, name)
    const expiresAt = secrets.session?.expiresAt
    return context.print({ profile: name, ...login, secrets: store.kind, expiresAt }, () => {
      const account = printable(login.admin ?? login.user ?? '')
      const until = `The session, valid until ${printable(localTime(expiresAt ?? ''))} (local time),`
      const stored = `${expiresAt === undefined ? 'The key' : until} is stored in ${printable(store.title)}`
      const text = `Logged in to ${printable(login.url)} as ${account}. ${stored}, profile ${name}.`
      return [text, ...profileSwitch(name, config)].join('\n')
    })
  },
})

async function offerApiKey(context: CommandContext, config: Config, name: string): Promise<void> {
  const target = resolveTarget({ env: context.env, config }, { profile: name })
  const { apiKey } = await findIdentity(context, target)
  const offer = `fish-cli login ${printable(target.user?.value ?? 'USER')} --with-api-key`
  if (apiKey === null) context.note(`An API key lifts the rate limit. To store yours: ${offer}`)
}

function profileSwitch(name: string, { current }: Config): readonly string[] {
  if (current === undefined || current === name) return []
  return [`The current profile is now ${name}. To switch back: fish-cli profile use ${printable(current)}`]
}

function playerLogin({ url, user, gamemode }: Target): LoginTarget {
  // Reports a wrong argument before a problem with files.
  gamemodeOf({ gamemode })
  // A setting applies to all profiles and is not copied.
  const own = gamemode && gamemode.from !== 'setting' ? { gamemode: gamemode.value } : {}
  return { url: url.value, user: user?.value, ...own }
}
