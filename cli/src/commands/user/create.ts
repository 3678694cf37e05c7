import type { CreatedUser } from '@fish-crab/sdk/contract'
import { isOnlyLocal } from '../../../../server/web/src/admin/data/local-address.ts'
import { formatLoginFile } from '../../../../server/web/src/admin/data/login-file.ts'
import { checkPublicUrl } from '../../client/client.ts'
import { withUnknownOutcome } from '../../client/describe-error.ts'
import { gamemodeOf } from '../../client/gamemodes.ts'
import { rememberGamemodes } from '../../config/gamemodes.ts'
import { checkSecretFile, reserveSecretFile, secretFilePath } from '../../config/secret-file.ts'
import { administratorWords, type Target } from '../../config/target.ts'
import { commandLine } from '../../core/command-line.ts'
import { usageError } from '../../core/errors.ts'
import { administrationFlags, openAdministration } from '../../kit/administration.ts'
import { Args, type CommandContext, defineCommand, Flags } from '../../kit/define.ts'
import { gamemodeFlag } from '../../kit/flags.ts'
import type { Column } from '../../output/columns.ts'
import { fieldLines } from '../../output/rows.ts'
import { printable } from '../../output/text.ts'

const COLUMNS: readonly Column<CreatedUser>[] = [
  { field: 'name' },
  { field: 'password' },
  { field: 'fernetKey', title: 'Fernet key' },
  { field: 'apiKey', title: 'API key' },
]

const OTHER_TYPES = '--type fernet and --type api-key'

export const userCreateCommand = defineCommand({
  summary: 'Create a player, as an administrator.',
  description:
    'Prints the password, the Fernet key and the API key of the player. These secrets cannot be shown again. With ' +
    '--login-file, the command writes the secrets to a file that only you can read. The file also contains the ' +
    'address that players use (FISH_PUBLIC_URL of the server). The player logs in with this file: fish-cli login ' +
    '--from FILE. The password of the administrator comes from FISH_ADMIN_PASSWORD or FISH_ADMIN_PASSWORD_FILE. ' +
    'Otherwise, the command prompts for the password, unless an administrator is logged in.',
  examples: ['fish-cli user create Alex --login-file alex.json', 'fish-cli user create Alex --admin admin'],
  args: { name: Args.string({ description: 'name of the player', required: true }) },
  flags: {
    'login-file': Flags.string({
      summary: 'Write a login file for the player that only you can read; - for stdout.',
      helpValue: 'FILE',
    }),
    force: Flags.boolean({ summary: 'Let --login-file replace an existing file.' }),
    gamemode: { ...gamemodeFlag.gamemode, summary: 'Gamemode of the player in the login file.' },
    ...administrationFlags,
  },
  completion: { 'login-file': { paths: 'files' } },
  role: 'administrator',

  async run(context) {
    const { args, flags, target } = context
    const { 'login-file': loginFile } = flags
    if (flags.gamemode !== undefined && loginFile === undefined) {
      throw usageError('--gamemode needs --login-file.', 'A player has no gamemode of its own. Leave --gamemode out.')
    }
    const file = secretFilePath(loginFile)
    if (file !== undefined) await checkSecretFile(file, flags.force)
    const { admin, options } = await openAdministration(context)
    const account = loginFile === undefined ? undefined : await admin.me(options)
    if (account) rememberGamemodes(context, target.url.value, account.gamemodes)
    const gamemode = flags.gamemode === undefined ? undefined : await gamemodeOf(context, target)
    const service = account && checkPublicUrl(account.publicUrl ?? target.url.value)
    await using reserved = file === undefined ? undefined : await reserveSecretFile(file, flags.force)
    const creating = admin.users.create({ name: args.name }, options)
    const {
      rateLimit: _,
      requestId: __,
      ...user
    } = await creating.catch((error) => {
      throw withUnknownOutcome(error, { hint: checkHint(args.name, target) })
    })
    const { id, name, createdAt, password, fernetKey, apiKey } = user
    if (!service) return printSecrets(context, user)
    const content = formatLoginFile({ service, name, password, fernetKey, apiKey, gamemode })
    if (isOnlyLocal(service)) {
      context.note(
        `The login file names ${printable(service)}, which only this machine can reach. For players on other machines, set FISH_PUBLIC_URL of the server.`,
      )
    }
    if (file === undefined) return context.printLong(content)
    await reserved?.write(content, {
      done: `The service created ${printable(name)}`,
      next: replaceHint(name, target),
    })
    const done = `Created ${printable(name)}. The password and the keys are in ${printable(file)}.`
    const next = `To log in with it: ${commandLine('login', '--from', printable(file))}`
    return context.print({ id, name, createdAt, file }, () => `${done} ${next}`)
  },
})

function replaceHint(name: string, target: Target): string {
  const words = administratorWords(target)
  const command = commandLine('user', 'reset', printable(name), '--type', 'password', '--out', 'FILE', ...words)
  return `Replace the secrets: ${command}, and with ${OTHER_TYPES}.`
}

function checkHint(name: string, target: Target): string {
  const command = commandLine('user', 'show', printable(name), ...administratorWords(target))
  return `Check whether ${printable(name)} was created: ${command}\nIf so, its secrets are lost. ${replaceHint(name, target)}`
}

function printSecrets(context: CommandContext, user: CreatedUser): number {
  context.note('Save these secrets: they cannot be shown again.')
  return context.print(user, () => fieldLines(user, COLUMNS), { isVerbatim: true })
}
