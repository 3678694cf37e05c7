import type { ResetType } from '@fish-crab/sdk/admin'
import { checkSecretFile, reserveSecretFile, secretFilePath } from '../../auth/secret-file.ts'
import { deliverSecret, findStoredSecret, type NotStored, printsSecret } from '../../client/new-secret.ts'
import { usageError } from '../../core/errors.ts'
import type { Column } from '../../output/columns.ts'
import { formatOf, type OutputFlags } from '../../output/format.ts'
import { confirm } from '../../output/prompt.ts'
import { printable } from '../../output/text.ts'
import { type Administration, administrationFlags, openAdministration } from '../admin-command.ts'
import type { CommandContext } from '../define.ts'
import { Args, defineCommand, Flags, words } from '../define.ts'
import { dryRunFlag, outputFlags, secretFileFlags, yesFlags } from '../flags.ts'

interface ResetRow {
  readonly user: string
  readonly type: ResetType
  readonly secret: string
  readonly masked: boolean
}

const COLUMNS: readonly Column<ResetRow>[] = [
  { field: 'user' },
  { field: 'type' },
  { field: 'secret', whole: true },
  { field: 'masked', hidden: true },
]

const TITLES: Readonly<Record<ResetType, string>> = {
  password: 'password',
  fernet: 'Fernet key',
  'api-key': 'API key',
}

/** Fields of the stored secrets of a profile. Passwords are not stored. */
const STORED_FIELDS: Readonly<Partial<Record<ResetType, 'fernetKey' | 'apiKey'>>> = {
  fernet: 'fernetKey',
  'api-key': 'apiKey',
}

// Hides the first characters too: passwords are short.
const MASK = '********'

export const userResetCommand = defineCommand({
  summary: 'Replace the password or a key of a player. The old one stops working at once.',
  description:
    'The new secret cannot be shown again: --out writes it to a file that only you can read, --show prints it. With ' +
    'neither, a key that the profile stores is updated there; any other secret is shown on a terminal, and a script ' +
    'has to add --out or --show.',
  examples: [
    'fish-cli user reset Alex --type password --out alex.password',
    { description: 'Replace a leaked key:', command: 'fish-cli user reset Alex --type fernet --yes --show' },
    'fish-cli user reset Alex --type api-key --dry-run',
  ],
  args: { name: Args.string({ description: 'name of the player', required: true }) },
  flags: {
    type: Flags.string({
      char: 't',
      summary: `Secret to replace: ${Object.keys(TITLES).join(', ')}.`,
      helpValue: 'TYPE',
    }),
    show: Flags.boolean({ summary: 'Print the new secret.' }),
    ...secretFileFlags,
    ...administrationFlags,
    ...yesFlags,
    ...dryRunFlag,
    ...outputFlags,
  },
  role: 'administrator',
  columns: COLUMNS,
  completion: { name: { local: 'users' }, type: words(Object.keys(TITLES)) },

  async run(context) {
    const { args, flags } = context
    const type = typeOf(flags.type)
    const dryRun = flags['dry-run']
    const file = secretFilePath(flags.out)
    if (file !== undefined) await checkSecretFile(file, flags.force)
    const field = STORED_FIELDS[type]
    const stored = field && (await findStoredSecret(context, context.target, args.name, field))
    if (dryRun) {
      const { admin, options } = await openAdministration(context)
      const { name } = await admin.users.get(args.name, options)
      const done = `Would give ${printable(name)} a new ${TITLES[type]}.`
      return context.print({ user: name, type, file, dryRun }, () => done)
    }
    const user = args.name
    const title = TITLES[type]
    const isShown = printsSecret(context, { flags, title, file, stored })
    await confirm(context, { question: `Replace the ${title} of ${printable(user)}`, ...flags })
    const administration = await openAdministration(context)
    await stored?.check()
    const reserved = file === undefined ? undefined : await reserveSecretFile(file, flags.force)
    const secret = await reset(administration, user, type).catch(async (error: unknown) => {
      await reserved?.discard()
      throw error
    })
    const unsaved = {
      done: `The service replaced the ${title} of ${printable(user)}`,
      next: `Replace it again with another FILE: fish-cli user reset ${printable(user)} --type ${type} --out FILE`,
    }
    const delivery = { user, title, secret, file: reserved, unsaved, stored, isDocument: flags.json === true }
    return deliverSecret(context, delivery, (outcome) => {
      if (file === undefined) return printSecret(context, { user, type, secret, masked: !isShown }, flags, outcome)
      const done = `The new ${title} of ${printable(user)} is in ${printable(file)}.`
      return context.print({ user, type, file, ...outcome }, () => done)
    })
  },
})

function printSecret(
  context: CommandContext,
  { user, type, secret, masked }: ResetRow,
  flags: OutputFlags & { readonly show?: boolean; readonly out?: string | undefined },
  outcome: NotStored,
): Promise<number> {
  const isRequested = flags.show === true || flags.out === '-'
  if (!masked && !isRequested) context.note(`Save the new ${TITLES[type]}: it cannot be shown again.`)
  if (!masked && formatOf(flags) === 'table' && flags.fields === undefined) {
    return context.printLong(`${printable(secret)}\n`, { ...flags, 'no-pager': true })
  }
  const row = { user, type, secret: masked ? MASK : secret, masked }
  if (masked) context.note(`The new ${TITLES[type]} is stored in the profile. To print a new one, add --show.`)
  return context.printRows({ rows: [row], document: ([only]) => ({ ...only, ...outcome }) })
}

async function reset({ admin, options }: Administration, name: string, type: ResetType): Promise<string> {
  const response: ResetResponse = await admin.users.reset(name, type, options)
  return response.password ?? response.fernetKey ?? response.apiKey ?? ''
}

interface ResetResponse {
  readonly password?: string
  readonly fernetKey?: string
  readonly apiKey?: string
}

function typeOf(text: string | undefined): ResetType {
  const type = (Object.keys(TITLES) as ResetType[]).find((each) => each === text?.toLowerCase())
  if (type) return type
  const types = Object.keys(TITLES).join(', ')
  if (text !== undefined) throw usageError(`--type must be one of ${types}.`)
  throw usageError('Missing --type.', `Add --type with one of: ${types}`)
}
