import { requireGamemode } from '../client/gamemodes.ts'
import { amountText, COPYABLE, countOf, removeRecords, takeBackHint } from '../client/records.ts'
import { findRecords, RECORD_DESCRIPTION, recordArgs, recordFlags } from '../kit/change-records.ts'
import { defineCommand } from '../kit/define.ts'
import { gamemodeFlag } from '../kit/flags.ts'
import { printable } from '../output/text.ts'

export const removeCommand = defineCommand({
  summary: 'Remove records from a collection.',
  description: `${RECORD_DESCRIPTION} The command first saves the catches to a file. To restore the catches, run: fish-cli add --file FILE.`,
  examples: [
    'fish-cli remove 5f50b328 --gamemode earth',
    { description: 'In a script:', command: 'fish-cli remove 5f50b328 8ab02f11 -g earth --yes --json' },
    {
      description: 'Remove all records of the last three hours as an administrator:',
      command: 'fish-cli remove --user Alex --admin admin -g earth --since 3h',
    },
  ],
  args: recordArgs,
  flags: { ...gamemodeFlag, ...recordFlags },

  async run(context) {
    const { flags, target } = context
    const gamemode = await requireGamemode(context, target)
    const { user, records, signal, authorize } = await findRecords(context, target, gamemode)
    const from = `${printable(user)}, ${gamemode}`
    if (flags['dry-run']) {
      const planned = { user, gamemode, records: records.map(({ id }) => id), catches: countOf(records), dryRun: true }
      return context.print(planned, () => `Would remove ${amountText(records)} of ${from}.`)
    }
    const { remove } = await authorize(`Remove ${amountText(records)} of ${from}`)
    const { file, removed } = await removeRecords(context, records, { signal, run: remove })
    const document = { user, gamemode, removed: removed.map(({ id }) => id), catches: countOf(removed), file }
    const text = `Removed ${amountText(removed)} of ${from}.\n${takeBackHint(file, user, target)}`
    return context.print(document, () => text, COPYABLE)
  },
})
