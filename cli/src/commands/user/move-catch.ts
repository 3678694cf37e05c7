import { parseMove } from '../../client/gamemodes.ts'
import { amountText, COPYABLE, changeRecords, countOf } from '../../client/records.ts'
import { administrationFlags, openAdministration } from '../../command/administration.ts'
import { Args, defineCommand } from '../../command/define.ts'
import { dryRunFlag, fromFlag, toGamemodeFlag, yesFlags } from '../../command/flags.ts'
import { confirmRecords, findRecords, parseSelection, recordFlags } from '../../command/select-records.ts'
import { administratorWords } from '../../config/target.ts'
import { commandLine } from '../../core/command-line.ts'
import { printable } from '../../output/text.ts'

/** More ids than this are only in the JSON document. */
const SHOWN_IDS = 10

export const userMoveCatchCommand = defineCommand({
  summary: 'Move records of a player to another gamemode, as an administrator.',
  description:
    'A record is what one command or batch added: all its catches move, and keep their times and id. With --since, ' +
    '--until or --name, every record is moved whose catches all match; the name of the player is typed to confirm. If ' +
    'the command is interrupted, repeat it: it goes on with the rest.',
  examples: [
    'fish-cli user move-catch Alex 5f50b328 --from earth --gamemode survival',
    'fish-cli user move-catch Alex --from earth -g survival --added --since 3h',
  ],
  args: {
    name: Args.string({ description: 'name of the player', required: true }),
    id: Args.string({ description: 'ids of the records, or their ends', multiple: true }),
  },
  flags: { ...toGamemodeFlag, ...fromFlag, ...recordFlags, ...administrationFlags, ...yesFlags, ...dryRunFlag },
  role: 'administrator',
  completion: { name: { local: 'users' } },

  async run(context) {
    const { args, flags } = context
    const dryRun = flags['dry-run']
    const { from: gamemode, to } = await parseMove(context, flags)
    const selection = parseSelection(args.id ?? [], flags, context.clock.now())
    const { admin, options } = await openAdministration(context)
    const { signal } = options
    const { user, records } = await findRecords(context, admin, { name: args.name, gamemode, signal }, selection)
    const where = `${printable(user)} from ${gamemode} to ${to}`
    const about = { user, from: gamemode, to }
    if (dryRun) {
      const planned = { ...about, records: records.map(({ id }) => id), catches: countOf(records), dryRun }
      return context.print(planned, () => `Would move ${amountText(records)} of ${where}.`)
    }
    const question = `Move ${amountText(records)} of ${where}`
    await confirmRecords(context, records, { question, user, flags, isRange: selection.matches !== undefined })
    const moved = await changeRecords(context, records, {
      done: 'moved',
      signal,
      run: ({ id, kind }) =>
        (kind === 'fish' ? admin.fish : admin.crabs).move(user, id, { gamemode, to, signal, maxRetries: 2 }),
    })
    const document = { ...about, moved: moved.map(({ id }) => id), catches: countOf(moved) }
    const ids = moved.length > SHOWN_IDS ? ['ID...'] : moved.map(({ id }) => id)
    const service = administratorWords(context.target)
    const back = commandLine(
      'user',
      'move-catch',
      printable(user),
      ...ids,
      '--from',
      to,
      '--gamemode',
      gamemode,
      ...service,
    )
    const text = `Moved ${amountText(moved)} of ${where}.\nTo take it back: ${back}`
    return context.print(document, () => text, COPYABLE)
  },
})
