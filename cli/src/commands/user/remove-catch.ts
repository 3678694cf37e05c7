import { requireGamemode } from '../../client/gamemodes.ts'
import { amountText, COPYABLE, countOf, removeRecords } from '../../client/records.ts'
import { administrationFlags, openAdministration } from '../../command/administration.ts'
import { Args, defineCommand } from '../../command/define.ts'
import { dryRunFlag, gamemodeFlag, yesFlags } from '../../command/flags.ts'
import { confirmRecords, findRecords, parseSelection, recordFlags } from '../../command/select-records.ts'
import { printable } from '../../output/text.ts'

export const userRemoveCatchCommand = defineCommand({
  summary: 'Remove records of a player, as an administrator.',
  description:
    'A record is what one command or batch added: all its catches go. With --since, --until or --name, every record is ' +
    'removed whose catches all match; the name of the player is typed to confirm. If the command is interrupted, ' +
    'repeat it: it goes on with the rest. What is removed is saved to a file first.',
  examples: [
    'fish-cli user remove-catch Alex 5f50b328 --gamemode earth',
    {
      description: 'What was imported this morning, whenever it was caught:',
      command: 'fish-cli user remove-catch Alex -g earth --added --since 3h --dry-run',
    },
    'fish-cli user remove-catch Alex -g earth --since 2026-01-31 --name Cod',
  ],
  args: {
    name: Args.string({ description: 'name of the player', required: true }),
    id: Args.string({ description: 'ids of the records, or their ends', multiple: true }),
  },
  flags: { ...gamemodeFlag, ...recordFlags, ...administrationFlags, ...yesFlags, ...dryRunFlag },
  role: 'administrator',
  completion: { name: { local: 'users' } },

  async run(context) {
    const { args, flags, target } = context
    const dryRun = flags['dry-run']
    const gamemode = await requireGamemode(context, target)
    const selection = parseSelection(args.id ?? [], flags, context.clock.now())
    const { admin, options } = await openAdministration(context)
    const { signal } = options
    const { user, records } = await findRecords(context, admin, { name: args.name, gamemode, signal }, selection)
    const from = `${printable(user)}, ${gamemode}`
    const about = { user, gamemode }
    if (dryRun) {
      const planned = { ...about, records: records.map(({ id }) => id), catches: countOf(records), dryRun }
      return context.print(planned, () => `Would remove ${amountText(records)} of ${from}.`)
    }
    const question = `Remove ${amountText(records)} of ${from}`
    await confirmRecords(context, records, { question, user, flags, isRange: selection.matches !== undefined })
    const { file, removed } = await removeRecords(context, records, {
      signal,
      run: ({ id, kind }) =>
        (kind === 'fish' ? admin.fish : admin.crabs).delete(user, id, { gamemode, signal, maxRetries: 2 }),
    })
    const document = { ...about, removed: removed.map(({ id }) => id), catches: countOf(removed), file }
    const text = `Removed ${amountText(removed)} of ${from}.\nWhat was removed is in ${printable(file)}, for add --file.`
    return context.print(document, () => text, COPYABLE)
  },
})
