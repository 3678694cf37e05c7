import { openClient } from '../client/client.ts'
import { parseMove } from '../client/gamemodes.ts'
import {
  amountText,
  COPYABLE,
  changeRecords,
  countOf,
  describeRecords,
  fetchRecords,
  readPlayerPassword,
  resourceOf,
  selectRecords,
} from '../client/records.ts'
import { Args, defineCommand } from '../command/define.ts'
import { fromFlag, passwordStdinFlag, serviceFlags, toGamemodeFlag, userFlag, yesFlags } from '../command/flags.ts'
import { requireUser, targetWords } from '../config/target.ts'
import { commandLine } from '../core/command-line.ts'
import { usageError } from '../core/errors.ts'
import { confirm } from '../output/prompt.ts'
import { printable } from '../output/text.ts'

export const moveCommand = defineCommand({
  summary: 'Move records of your collection to another gamemode.',
  description:
    'A record is what one command or batch added: all its catches move, and keep their times and id. ID is the id of a ' +
    'record, or the end that list --detail shows. Needs your password, from a prompt, FISH_PASSWORD or ' +
    'FISH_PASSWORD_FILE.',
  examples: [
    'fish-cli move 5f50b328 --from earth --gamemode survival',
    { description: 'From the gamemode of your profile:', command: 'fish-cli move 5f50b328 -g survival' },
  ],
  args: { id: Args.string({ description: 'ids of the records', multiple: true }) },
  flags: {
    ...toGamemodeFlag,
    ...fromFlag,
    ...userFlag,
    ...serviceFlags,
    ...passwordStdinFlag,
    ...yesFlags,
  },

  async run(context) {
    const { args, flags } = context
    const ids = args.id ?? []
    if (ids.length === 0) throw usageError('Missing ID.', 'See the ids: fish-cli list --detail')
    const { from: gamemode, to, target } = await parseMove(context, flags)
    const client = await openClient(context, target)
    const signal = context.interrupted()
    const found = await fetchRecords(client, { user: requireUser(target, 'Add --user USER'), gamemode, signal })
    const { user } = found
    const records = selectRecords(found.records, ids, gamemode)
    context.note(describeRecords(records))
    const where = `${printable(user)} from ${gamemode} to ${to}`
    await confirm(context, { ...flags, question: `Move ${amountText(records)} of ${where}` })
    const password = await readPlayerPassword(context, user, flags)
    const moved = await changeRecords(context, records, {
      done: 'moved',
      signal,
      run: ({ id, kind }) => resourceOf(client, kind).move(id, { user, gamemode, to, password, signal }),
    })
    const document = { user, from: gamemode, to, moved: moved.map(({ id }) => id), catches: countOf(moved) }
    const back = commandLine('move', ...document.moved, '--from', to, '--gamemode', gamemode, ...targetWords(target))
    const text = `Moved ${amountText(moved)} of ${where}.\nTo take it back: ${back}`
    return context.print(document, () => text, COPYABLE)
  },
})
