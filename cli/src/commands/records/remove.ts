import { defineCommand } from '../../kit/define.ts'
import { gamemodeFlag } from '../../kit/flags.ts'
import { COPYABLE } from '../../terminal/terminal.ts'
import { amountText, countOf, recordIds, removeRecords, takeBackHint } from './records.ts'
import { describeSelection, findRecords, recordArgs, recordFlags } from './select-records.ts'

export const removeCommand = defineCommand({
  summary: 'Remove records from a collection.',
  description:
    describeSelection('--since, --until and --name select the matching catches, also single catches of a record.') +
    ' The command first saves the catches to a file. To restore the catches, run: fish-cli add --file FILE.',
  examples: [
    'fish-cli remove 5f50b328 --gamemode earth',
    { description: 'Remove one wrong catch of a batch:', command: 'fish-cli remove --name Fish7 -g earth' },
    { description: 'In a script:', command: 'fish-cli remove 5f50b328 8ab02f11 -g earth --yes --json' },
    {
      description: 'Remove all catches of the last three hours as an administrator:',
      command: 'fish-cli remove --user Alex --admin admin -g earth --since 3h',
    },
  ],
  args: recordArgs,
  flags: { ...gamemodeFlag, ...recordFlags },

  async run({ session, terminal, args, flags }) {
    const gamemode = await session.gamemode()
    const { user, records, authorize } = await findRecords(session, { args, flags }, { gamemode, isSplit: true })
    const from = `${user}, ${gamemode}`
    if (flags['dry-run']) {
      const { ids, entries } = recordIds(records)
      const planned = { user, gamemode, records: ids, entries, catches: countOf(records), dryRun: true }
      return terminal.print(planned, () => `Would remove ${amountText(records)} of ${from}.`)
    }
    const { remove } = await authorize(`Remove ${amountText(records)} of ${from}`)
    const { file, removed } = await removeRecords(session, records, { run: remove })
    const { ids, entries } = recordIds(removed)
    const document = { user, gamemode, removed: ids, entries, catches: countOf(removed), file }
    const text = [`Removed ${amountText(removed)} of ${from}.`, takeBackHint(session, file, user)]
    return terminal.print(document, () => text, COPYABLE)
  },
})
