import { rm } from 'node:fs/promises'
import { userNameKey } from '@fish-crab/sdk/constants'
import { isOnlyLocal } from '../../../server/web/src/admin/data/local-address.ts'
import { adminNameOf } from '../client/admin.ts'
import { askForGamemodes, findGamemode, gamemodeOf } from '../client/gamemodes.ts'
import { fetchPlayerKey, fetchSession } from '../client/login.ts'
import { noteUnsent } from '../client/outbox.ts'
import { applyLogin, changeConfig, type LoginTarget, replacesLogin } from '../config/config-file.ts'
import { readLoginFile } from '../config/login-file.ts'
import { DEFAULT_PROFILE, isUnencrypted, parseProfileName } from '../config/profile.ts'
import { mergeLogin } from '../config/secret-store.ts'
import { checkSecretsUpdate, updateSecrets } from '../config/secrets.ts'
import { resolveTarget, type Target } from '../config/target.ts'
import { commandLine } from '../core/command-line.ts'
import type { Config } from '../core/context.ts'
import { CliError, usageError } from '../core/errors.ts'
import { isServiceUrl, parseServiceUrl } from '../core/parse-values.ts'
import { localTime } from '../core/time.ts'
import { Args, type CommandContext, defineCommand, Flags } from '../kit/define.ts'
import { gamemodeFlag, serviceFlags, yesFlags } from '../kit/flags.ts'
import { ask, canPrompt, confirm, promptLine } from '../output/prompt.ts'
import { printable } from '../output/text.ts'

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
    'password-stdin': Flags.boolean({ summary: 'Read the password from stdin.' }),
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

  async run(context) {
    const { args, flags, config } = context
    const { admin: asAdmin, from, ...rest } = flags
    const { login: file, isShared } = from === undefined ? NO_FILE : await readLoginFile(from)
    if (file && args.user !== undefined && userNameKey(args.user) !== userNameKey(file.name)) {
      const path = printable(from ?? '')
      throw usageError(
        `${path} is the login file of another player.`,
        `Leave USER out: ${commandLine('login', '--from', path)}`,
      )
    }
    // The login file overrides the environment, because the secrets in the file are only for the service that the file
    // names. Flags override the file.
    const fromFile = file && { url: flags.url ?? file.service, gamemode: flags.gamemode ?? file.gamemode }
    const account = { [asAdmin ? 'admin' : 'user']: args.user ?? file?.name }
    const typed = resolveTarget(context, { ...rest, ...fromFile, ...account }, true)
    const given = { ...typed, url: { ...typed.url, value: withScheme(typed.url.value) } }
    if (given.url.value !== typed.url.value) context.note(`The address of the service is ${printable(given.url.value)}`)
    const name = parseProfileName(given.profileName?.value ?? DEFAULT_PROFILE)
    const isSilent = flags['no-input'] || flags['password-stdin']
    // A wrong gamemode is reported before a problem with files.
    if (!asAdmin) await gamemodeOf(context, given)
    // Before the prompts for credentials, checks that the credentials can be saved.
    const store = await checkSecretsUpdate(context, config, name)
    const target = asAdmin ? given : await askForMissing(context, given, isSilent)
    const login = asAdmin ? { url: target.url.value, admin: adminNameOf(target) } : playerLogin(target)
    if (replacesLogin(config.profiles.get(name), login)) {
      context.note('To keep both accounts, enter n and repeat the command with --profile NAME.')
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
      known: file,
    })
    const changed = await changeConfig(context, (current) => applyLogin(current, name, login))
    await updateSecrets(context, changed, name, (stored) => mergeLogin(stored, secrets))
    await noteUnsent(context, config.profiles.get(name), login.url)
    const expiresAt = secrets.session?.expiresAt
    const status = context.print({ profile: name, ...login, secrets: store.kind, expiresAt }, () => {
      const account = printable(login.admin ?? login.user ?? '')
      const until = `The session, valid until ${printable(localTime(expiresAt ?? ''))} (local time),`
      const stored = `${expiresAt === undefined ? 'Your key' : until} is stored in ${printable(store.title)}`
      const text = `Logged in to ${printable(login.url)} as ${account}. ${stored}, profile ${name}.`
      return [text, ...profileSwitch(name, config)].join('\n')
    })
    if (from !== undefined) await offerDeletion(context, from, { isShared, noInput: flags['no-input'] })
    return status
  },
})

const NO_FILE = { login: undefined, isShared: false }

/** Adds a missing scheme to an address: http for this machine, otherwise https. Other texts stay unchanged. */
function withScheme(address: string): string {
  if (address.includes('://')) return address
  const url = `http://${address}`
  if (!isServiceUrl(url)) return address
  return isOnlyLocal(url) ? url : `https://${address}`
}

/**
 * Prompts for values that flags, environment, profile and settings do not contain. Without a terminal, these values
 * stay missing.
 */
async function askForMissing(context: CommandContext, target: Target, noInput: boolean | undefined): Promise<Target> {
  if (!canPrompt(context, noInput)) return target
  const question = async (text: string, parse: (typed: string) => string | Promise<string>) => {
    for (;;) {
      const typed = (await promptLine(context, { question: text, isSecret: false }))?.trim()
      if (!typed) return undefined
      try {
        return { value: await parse(typed), from: 'flag' } as const
      } catch (error) {
        if (!(error instanceof CliError)) throw error
        context.line.say(`fish-cli: ${error.message} ${error.hint ?? ''}`.trimEnd())
      }
    }
  }
  let { url, user, gamemode } = target
  if (url.from === 'default') {
    url =
      (await question(`Address of the service (press Enter for ${url.value}): `, (typed) =>
        parseServiceUrl(withScheme(typed)),
      )) ?? url
  }
  if (!user?.value) user = await question('Your player name: ', (typed) => typed)
  if (user && !gamemode?.value) {
    const service = { ...target, url }
    const names = (await askForGamemodes(context, service)).join(', ')
    gamemode = await question(
      `Your gamemode, if you always play the same one (${names}; press Enter to skip): `,
      (typed) => findGamemode(context, service, typed, 'your reply'),
    )
  }
  return { ...target, url, user, gamemode }
}

/** Deletes the login file only after a confirmation, because the file may be the only copy of the password. */
async function offerDeletion(
  context: CommandContext,
  path: string,
  { isShared, noInput }: { readonly isShared: boolean; readonly noInput: boolean | undefined },
): Promise<void> {
  if (!canPrompt(context, noInput)) {
    const others = isShared ? ', and others can read it' : ''
    return context.note(
      `${printable(path)} contains your secrets${others}. Write the password down, then delete the file.`,
    )
  }
  if (isShared) context.note(`Others can read ${printable(path)}.`)
  context.note(
    `${printable(path)} contains your password, which is not stored anywhere else. You need the password for undo, ` +
      'remove, move and the next login. If you have not written the password down yet, enter n.',
  )
  if (!(await ask(context, `Delete ${printable(path)}`))) return
  await rm(path)
  context.note(`Deleted ${printable(path)}.`)
}

/** A first login to the default profile changes nothing for the user. */
function profileSwitch(name: string, { current }: Config): readonly string[] {
  if (name === (current ?? DEFAULT_PROFILE)) return []
  const back = current === undefined ? '' : ` To switch back: ${commandLine('profile', printable(current))}`
  return [`The current profile is now ${name}.${back}`]
}

function playerLogin({ url, user, gamemode }: Target): LoginTarget {
  // A gamemode from the settings applies to all profiles, and is not copied into the profile.
  const own = gamemode && gamemode.from !== 'setting' ? { gamemode: gamemode.value } : {}
  return { url: url.value, user: user?.value, ...own }
}
