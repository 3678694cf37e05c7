import { withUnknownOutcome } from '../client/describe-error.ts'
import { parseMove } from '../client/gamemodes.ts'
import { amountText, COPYABLE, changeRecords, countOf, idsText } from '../client/records.ts'
import { targetWords } from '../config/target.ts'
import { commandLine } from '../core/command-line.ts'
import { findRecords, RECORD_DESCRIPTION, recordArgs, recordFlags } from '../kit/change-records.ts'
import { defineCommand } from '../kit/define.ts'
import { fromFlag, toGamemodeFlag } from '../kit/flags.ts'
import { printable } from '../output/text.ts'

/** If more records than this are moved, the ids are listed only in the JSON document. */
const SHOWN_IDS = 10

export const moveCommand = defineCommand({
  summary: 'Move records of a collection to another gamemode.',
  description: `${RECORD_DESCRIPTION} Moved catches keep their times and ids.`,
  examples: [
    'fish-cli move 5f50b328 --from earth --gamemode survival',
    { description: 'From the gamemode of your profile:', command: 'fish-cli move 5f50b328 -g survival' },
    {
      description: 'Move a record as an administrator:',
      command: 'fish-cli move 5f50b328 --user Alex --admin mia -g survival',
    },
  ],
  args: recordArgs,
  flags: { ...toGamemodeFlag, ...fromFlag, ...recordFlags },

  async run(context) {
    const { args, flags } = context
    const { from: gamemode, to, target } = await parseMove(context, flags, idsText(args.id ?? []))
    const { user, records, signal, authorize } = await findRecords(context, target, gamemode)
    const where = `${printable(user)} from ${gamemode} to ${to}`
    const about = { user, from: gamemode, to }
    if (flags['dry-run']) {
      const planned = { ...about, records: records.map(({ id }) => id), catches: countOf(records), dryRun: true }
      return context.print(planned, () => `Would move ${amountText(records)} of ${where}.`)
    }
    const { move } = await authorize(`Move ${amountText(records)} of ${where}`)
    const list = commandLine('list', '--detail', '--gamemode', to, ...targetWords(target))
    const unknown = { outcome: 'The record may have been moved.', hint: `See whether it was moved: ${list}` }
    const moved = await changeRecords(context, records, {
      done: 'moved',
      signal,
      run: (record) => move(record, to).then(undefined, (error) => Promise.reject(withUnknownOutcome(error, unknown))),
    })
    const document = { ...about, moved: moved.map(({ id }) => id), catches: countOf(moved) }
    const ids = moved.length > SHOWN_IDS ? ['ID...'] : document.moved
    const back = commandLine('move', ...ids, '--from', to, '--gamemode', gamemode, ...targetWords(target))
    const text = [
      `Moved ${amountText(moved)} of ${where}.`,
      ...(moved.length === 0 ? [] : [`To move them back: ${back}`]),
    ]
    return context.print(document, () => text.join('\n'), COPYABLE)
  },
})
