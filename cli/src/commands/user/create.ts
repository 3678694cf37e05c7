import type { CreatedUser } from '@fish-crab/sdk/contract'
import { administrationFlags, openAdministration } from '../../command/administration.ts'
import { Args, type CommandContext, defineCommand } from '../../command/define.ts'
import { outputFlags, secretFileFlags } from '../../command/flags.ts'
import { checkSecretFile, reserveSecretFile, secretFilePath } from '../../config/secret-file.ts'
import { formatOf, type OutputFlags } from '../../core/format.ts'
import { type Column, timeColumn } from '../../output/columns.ts'
import { printable } from '../../output/text.ts'

const COLUMNS: readonly Column<CreatedUser>[] = [
  { field: 'id', whole: true },
  { field: 'name', whole: true },
  timeColumn('createdAt'),
  { field: 'password', whole: true },
  { field: 'fernetKey', whole: true },
  { field: 'apiKey', whole: true },
]

const LABELS = { name: 'name', password: 'password', fernetKey: 'Fernet key', apiKey: 'API key' } as const

const OTHER_TYPES = '--type fernet and --type api-key'

export const userCreateCommand = defineCommand({
  summary: 'Create a player, as an administrator.',
  description:
    'Prints the password, the Fernet key and the API key of the player, which cannot be shown again. The password of the ' +
    'administrator comes from FISH_ADMIN_PASSWORD or FISH_ADMIN_PASSWORD_FILE.',
  examples: ['fish-cli user create Alex', 'fish-cli user create Alex --admin admin --out alex.json'],
  args: { name: Args.string({ description: 'name of the player', required: true }) },
  flags: { ...secretFileFlags, ...administrationFlags, ...outputFlags },
  role: 'administrator',
  columns: COLUMNS,

  async run(context) {
    const { args, flags } = context
    const file = secretFilePath(flags.out)
    if (file !== undefined) await checkSecretFile(file, flags.force)
    const { admin, options } = await openAdministration(context)
    await using reserved = file === undefined ? undefined : await reserveSecretFile(file, flags.force)
    const { rateLimit: _, requestId: __, ...user } = await admin.users.create({ name: args.name }, options)
    if (file === undefined) return printSecrets(context, user, flags)
    const { id, name, createdAt } = user
    await reserved?.write(`${JSON.stringify(user, undefined, 2)}\n`, {
      done: `The service created ${printable(name)}`,
      next: `Replace them: fish-cli user reset ${printable(name)} --type password --out FILE, and with ${OTHER_TYPES}.`,
    })
    const done = `Created ${printable(name)}. The password and the keys are in ${printable(file)}.`
    return context.print({ id, name, createdAt, file }, () => done)
  },
})

function printSecrets(context: CommandContext, user: CreatedUser, flags: OutputFlags): Promise<number> {
  context.note('Save these secrets: they cannot be shown again.')
  if (formatOf(flags) === 'table' && flags.fields === undefined) {
    const rows = Object.entries(LABELS).map(([field, what]) => ({ what, value: user[field as keyof typeof LABELS] }))
    // One per line: a single row would be wider than a terminal.
    return context.printRows({ rows, columns: [{ field: 'what' }, { field: 'value', whole: true }] })
  }
  return context.printRows({ rows: [user], document: ([only]) => only })
}
