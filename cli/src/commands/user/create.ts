import type { CreatedUser } from '@fish-crab/sdk/contract'
import { commandLine } from '../../core/argv.ts'
import { withUnknownOutcome } from '../../core/describe-error.ts'
import { usageError } from '../../core/errors.ts'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { administrationFlags, gamemodeFlag } from '../../kit/flags.ts'
import { checkSecretFile, reserveSecretFile, secretFilePath } from '../../kit/secret-output.ts'
import { rememberGamemodes } from '../../session/gamemodes.ts'
import { administratorWords, type Target } from '../../session/target.ts'
import { type Column, fieldLines } from '../../terminal/table.ts'
import { COPYABLE, type Terminal } from '../../terminal/terminal.ts'
import { loginFileFormat } from '../account/login-file.ts'

const COLUMNS: readonly Column<CreatedUser>[] = [
  { field: 'name' },
  { field: 'password' },
  { field: 'fernetKey', title: 'Fernet key' },
  { field: 'apiKey', title: 'API key' },
]

const OTHER_TYPES = '--type fernet and --type api-key'

export const userCreateCommand = defineCommand({
  summary: 'Create a player, or all players in a file, as an administrator.',
  description:
    'Prints the password, the Fernet key and the API key of the player. These secrets cannot be shown again. With ' +
    '--login-file, the command writes the secrets to a file that only you can read. The file also contains the ' +
    'address that players use (FISH_PUBLIC_URL of the server). The player logs in with this file: fish-cli login ' +
    '--from FILE. The password of the administrator comes from FISH_ADMIN_PASSWORD or FISH_ADMIN_PASSWORD_FILE. ' +
    'Otherwise, the command prompts for the password, unless an administrator is logged in. ' +
    'With --file, the command creates all players in a list with one name per line, or in a CSV file with the columns ' +
    'name and password. Without a password, the service generates one. Each player gets a login file in the folder of ' +
    '--login-files. If a run stops, repeat the command. It continues, and skips players that have a login file. ' +
    'Players that exist without a login file are named at the end, because their secrets are lost or elsewhere. ' +
    '--reset-missing gives such a player a new password, a new API key and a login file, but only if the player has no ' +
    'catches, never fetched a key, and the audit log contains nothing but the creation and resets of the player.',
  examples: [
    'fish-cli user create Alex --login-file alex.json',
    'fish-cli user create Alex --admin admin',
    { description: 'All players in a file:', command: 'fish-cli user create --file players.csv --login-files logins' },
  ],
  args: { name: Args.string({ description: 'name of the player' }) },
  flags: {
    'login-file': Flags.string({
      summary: 'Write a login file for the player that only you can read; - for stdout.',
      helpValue: 'FILE',
    }),
    force: Flags.boolean({ summary: 'Let --login-file replace an existing file.' }),
    file: Flags.string({
      summary: 'Create all players in a list or CSV file (columns: name, password); - for stdin.',
      helpValue: 'FILE',
      dependsOn: ['login-files'],
      exclusive: ['login-file', 'force'],
    }),
    'login-files': Flags.string({
      summary: 'Write a login file for each player to this folder.',
      helpValue: 'FOLDER',
      dependsOn: ['file'],
    }),
    'reset-missing': Flags.boolean({
      summary: 'Reset the players in the file that have no login file and never used their secrets.',
      dependsOn: ['file'],
    }),
    gamemode: { ...gamemodeFlag.gamemode, summary: 'Gamemode of the player in the login file.' },
    ...administrationFlags,
  },
  completion: { 'login-file': { paths: 'files' }, 'login-files': { paths: 'folders' } },
  role: 'administrator',

  async run({ session, terminal, args, flags }) {
    const { target } = session
    const { 'login-file': loginFile, 'login-files': folder, file: list } = flags
    const { name: newName } = args
    if (list !== undefined && folder !== undefined) {
      if (newName !== undefined) throw usageError('NAME and --file cannot be used together.', 'Leave NAME out.')
      const { createMany } = await import('./create-many.ts')
      return createMany(session, { ...flags, file: list, folder, resetMissing: flags['reset-missing'] })
    }
    if (newName === undefined) {
      throw usageError('The name of the player is missing.', 'For example: fish-cli user create Alex')
    }
    if (flags.gamemode !== undefined && loginFile === undefined) {
      throw usageError('--gamemode needs --login-file.', 'A player has no gamemode of its own. Leave --gamemode out.')
    }
    const file = secretFilePath(loginFile)
    if (file !== undefined) await checkSecretFile(file, flags.force)
    const admin = await session.admin()
    const options = { signal: session.signal }
    const account = loginFile === undefined ? undefined : await admin.me(options)
    if (account) rememberGamemodes(session, session.url, account.gamemodes)
    const gamemode = flags.gamemode === undefined ? undefined : await session.optionalGamemode()
    const format = account && loginFileFormat(session, account.publicUrl)
    await using reserved = file === undefined ? undefined : await reserveSecretFile(file, flags.force)
    const creating = admin.users.create({ name: newName }, options)
    const {
      rateLimit: _,
      requestId: __,
      ...user
    } = await creating.catch((error) => {
      throw withUnknownOutcome(error, { hint: checkHint(newName, target) })
    })
    const { id, name, createdAt, password, fernetKey, apiKey } = user
    if (!format) return printSecrets(terminal, user)
    const content = format({ name, password, fernetKey, apiKey, gamemode })
    if (file === undefined) return terminal.printFile(content)
    await reserved?.write(content, {
      done: `The service created ${name}`,
      next: replaceHint(name, target),
    })
    const done = `Created ${name}. The password and the keys are in ${file}.`
    const next = `To log in with it: ${commandLine('login', '--from', file)}`
    return terminal.print({ id, name, createdAt, file }, () => `${done} ${next}`)
  },
})

function replaceHint(name: string, target: Target): string {
  const words = administratorWords(target)
  const command = commandLine('user', 'reset', name, '--type', 'password', '--out', 'FILE', ...words)
  return `Replace the secrets: ${command}, and with ${OTHER_TYPES}.`
}

function checkHint(name: string, target: Target): readonly string[] {
  const command = commandLine('user', 'show', name, ...administratorWords(target))
  return [`Check whether ${name} was created: ${command}`, `If so, its secrets are lost. ${replaceHint(name, target)}`]
}

function printSecrets(terminal: Terminal, user: CreatedUser): number {
  terminal.note('Save these secrets: they cannot be shown again.')
  return terminal.print(user, () => fieldLines(user, COLUMNS), COPYABLE)
}
