import type { Gamemode } from '@fish-crab/sdk/constants'
import { commandLine } from '../../core/argv.ts'
import { withUnknownOutcome } from '../../core/describe-error.ts'
import { usageError } from '../../core/errors.ts'
import { defineCommand } from '../../kit/define.ts'
import { fromFlag, toGamemodeFlag } from '../../kit/flags.ts'
import { findGamemode } from '../../session/gamemodes.ts'
import type { Session } from '../../session/session.ts'
import { suggestList, type TargetFlags, targetWords } from '../../session/target.ts'
import { COPYABLE } from '../../terminal/terminal.ts'
import { amountText, changeRecords, countOf, idsText } from './records.ts'
import { describeSelection, findRecords, recordArgs, recordFlags } from './select-records.ts'

/** If more records than this are moved, the ids are listed only in the JSON document. */
const SHOWN_IDS = 10

export const moveCommand = defineCommand({
  summary: 'Move records of a collection to another gamemode.',
  description:
    describeSelection('--since, --until and --name select a record if all of its catches match.') +
    ' Moved catches keep their times and ids.',
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

  async run({ session, terminal, args, flags }) {
    const { from: gamemode, to, source } = await parseMove(session, flags, idsText(args.id ?? []))
    const { user, records, authorize } = await findRecords(source, { args, flags }, { gamemode, isSplit: false })
    const where = `${user} from ${gamemode} to ${to}`
    const about = { user, from: gamemode, to }
    if (flags['dry-run']) {
      const planned = { ...about, records: records.map(({ id }) => id), catches: countOf(records), dryRun: true }
      return terminal.print(planned, () => `Would move ${amountText(records)} of ${where}.`)
    }
    const { move } = await authorize(`Move ${amountText(records)} of ${where}`)
    const moved = await changeRecords(source, records, {
      done: 'moved',
      run: (record) =>
        move(record, to).then(undefined, (error) => {
          const list = suggestList(source.target, { kind: record.kind, user, gamemode: to })
          const hint = `See whether it was moved: ${list}`
          throw withUnknownOutcome(error, { outcome: 'The record may have been moved.', hint })
        }),
    })
    const document = { ...about, moved: moved.map(({ id }) => id), catches: countOf(moved) }
    const ids = moved.length > SHOWN_IDS ? ['ID...'] : document.moved
    const back = commandLine('move', ...ids, '--from', to, '--gamemode', gamemode, ...targetWords(source.target))
    const text = [
      `Moved ${amountText(moved)} of ${where}.`,
      ...(moved.length === 0 ? [] : [`To move them back: ${back}`]),
    ]
    return terminal.print(document, () => text, COPYABLE)
  },
})

interface Move {
  readonly from: Gamemode
  readonly to: Gamemode
  /** The session without `--gamemode`, because `--gamemode` names the destination. */
  readonly source: Session
}

/**
 * @param records the moved records in messages, such as their ids
 * @throws CliError `usage`
 */
async function parseMove(
  session: Session,
  flags: TargetFlags & { readonly from?: string | undefined },
  records: string,
): Promise<Move> {
  if (flags.gamemode === undefined)
    throw usageError(`The gamemode to move ${records} to is missing.`, 'Add --gamemode GAMEMODE.')
  const source = session.withFlags({ ...flags, gamemode: undefined })
  const to = await findGamemode(source, flags.gamemode, '--gamemode')
  const from =
    flags.from === undefined ? await source.optionalGamemode() : await findGamemode(source, flags.from, '--from')
  if (from === undefined) throw usageError(`The gamemode to move ${records} from is missing.`, 'Add --from GAMEMODE.')
  if (from === to) {
    throw usageError(`Both gamemodes are ${to}.`, 'Name the gamemode that contains the records: --from GAMEMODE')
  }
  return { from, to, source }
}
