import { findIdentity } from '../auth/identity.ts'
import { checkSecretsUpdate, updateSecrets } from '../auth/secrets.ts'
import { mergeLogin } from '../auth/store.ts'
import { adminNameOf } from '../client/admin.ts'
import { fetchPlayerKey, fetchSession } from '../client/login.ts'
import {
  applyLogin,
  changeConfig,
  checkConfigChange,
  type LoginTarget,
  readConfig,
  replacesLogin,
} from '../config/config-file.ts'
import { DEFAULT_PROFILE, isUnencrypted, parseProfileName } from '../config/profile.ts'
import { gamemodeOf, resolveTarget, type Target } from '../config/target.ts'
import type { Config } from '../core/context.ts'
import { localTime } from '../core/time.ts'
import { confirm } from '../output/prompt.ts'
import { printable } from '../output/text.ts'
import { Args, defineCommand, Flags } from './define.ts'
import { gamemodeFlag, serviceFlags, yesFlags } from './flags.ts'

/** `fish-cli login` */
export const loginCommand = defineCommand({
  summary: 'Fetch your key with your password, check it, and keep it for all commands.',
  description:
    'The password is asked for, or comes from FISH_PASSWORD, FISH_PASSWORD_FILE or --password-stdin; it is used once and ' +
    'not kept. The key goes to the keyring of the system where there is one, else to a file that only you can read. ' +
    'With --admin, USER is an administrator (FISH_ADMIN_PASSWORD), and what is kept is a session that ends by itself.',
  examples: [
    'fish-cli login Alex --url https://fish.example.org --gamemode earth',
    {
      description: 'In a script, with a password manager:',
      command: 'pass fish/alex | fish-cli login Alex --password-stdin --no-input',
    },
    { description: 'A second account beside the first:', command: 'fish-cli login Bob --profile bob' },
    { description: 'As an administrator:', command: 'fish-cli login admin --admin' },
  ],
  args: { user: Args.string({ description: 'who logs in (FISH_USER)', ignoreStdin: true }) },
  flags: {
    admin: Flags.boolean({ summary: 'Log in as an administrator.' }),
    'password-stdin': Flags.boolean({ summary: 'Read the password from stdin.' }),
    'with-api-key': Flags.boolean({
      summary: 'Keep an API key too (FISH_API_KEY, FISH_API_KEY_FILE, else asked for).',
      exclusive: ['admin'],
    }),
    ...gamemodeFlag,
    ...serviceFlags,
    ...yesFlags,
  },

  role: ({ flags }) => (flags.admin ? 'administrator' : 'player'),

  async run(context) {
    const { args, flags } = context
    const { admin: asAdmin, ...rest } = flags
    const named = { ...rest, [asAdmin ? 'admin' : 'user']: args.user }
    const config = readConfig(context)
    const chosen = resolveTarget({ env: context.env, config }, named, true)
    const name = parseProfileName(chosen.profileName?.value ?? DEFAULT_PROFILE)
    const login = asAdmin ? { url: chosen.url.value, admin: adminNameOf(chosen) } : playerLogin(chosen)
    // A login that cannot be kept is not asked for.
    const keep = (current: Config) => applyLogin(current, name, login)
    const store = await checkSecretsUpdate(context, checkConfigChange(context, keep), name)
    if (replacesLogin(config.profiles.get(name), login)) {
      await confirm(context, { question: `Profile ${name} is of somebody else or elsewhere: replace it`, ...flags })
    }
    if (isUnencrypted(login.url)) {
      context.note(`${printable(login.url)} is not encrypted: others on the way can read the password.`)
    }
    const asking = { noInput: flags['no-input'], fromStdin: flags['password-stdin'], withApiKey: flags['with-api-key'] }
    const brought = await (asAdmin ? fetchSession : fetchPlayerKey)(context, chosen, asking)
    const changed = await changeConfig(context, keep)
    await updateSecrets(context, changed, name, (kept) => mergeLogin(kept, brought))
    if (!asAdmin && !flags['with-api-key'] && context.stderr.isTTY) {
      const { apiKey } = await findIdentity(
        context,
        resolveTarget({ env: context.env, config: changed }, { profile: name }),
      )
      const offer = `fish-cli login ${printable(login.user ?? 'USER')} --with-api-key`
      if (apiKey === null) context.note(`With your API key nothing waits for the rate limit. Keep it too: ${offer}`)
    }
    const expiresAt = brought.session?.expiresAt
    const data = {
      profile: name,
      ...login,
      secrets: store.kind,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
    return context.print(data, () => {
      const who = printable(login.admin ?? login.user ?? '')
      const what =
        expiresAt === undefined ? 'The key' : `The session, until ${printable(localTime(expiresAt))} (local time),`
      const where = `${what} is kept in ${printable(store.title)}`
      const told = `Logged in to ${printable(login.url)} as ${who}. ${where}, profile ${name}.`
      return [told, ...currentNow(name, config)].join('\n')
    })
  },
})

/** What a login does besides: commands without --profile go elsewhere from then on. */
function currentNow(name: string, { current }: Config): readonly string[] {
  if (current === undefined || current === name) return []
  return [
    `Profile ${name} is the current one now. Back to ${printable(current)}: fish-cli profile use ${printable(current)}`,
  ]
}

function playerLogin({ url, user, gamemode }: Target): LoginTarget {
  // What is wrong with what was typed is said before what is wrong with files.
  gamemodeOf({ gamemode })
  // A setting counts for all profiles, and needs no copy in one.
  const own = gamemode && gamemode.from !== 'setting' ? { gamemode: gamemode.value } : {}
  return { url: url.value, user: user?.value, ...own }
}
