import { openClient } from '../client/client.ts'
import { requireGamemode } from '../client/gamemodes.ts'
import {
  amountText,
  COPYABLE,
  countOf,
  describeRecords,
  fetchRecords,
  readPlayerPassword,
  removeRecords,
  resourceOf,
  selectRecords,
  takeBackHint,
} from '../client/records.ts'
import { Args, defineCommand } from '../command/define.ts'
import { gamemodeFlag, passwordStdinFlag, serviceFlags, userFlag, yesFlags } from '../command/flags.ts'
import { requireUser } from '../config/target.ts'
import { usageError } from '../core/errors.ts'
import { confirm } from '../output/prompt.ts'
import { printable } from '../output/text.ts'

export const removeCommand = defineCommand({
  summary: 'Remove records from your collection.',
  description:
    'A record is what one command or batch added: all its catches go. ID is the id of a record, or the end that ' +
    'list --detail shows. Needs your password, from a prompt, FISH_PASSWORD or FISH_PASSWORD_FILE. What is removed is ' +
    'saved to a file first, from which add --file adds it again.',
  examples: [
    'fish-cli remove 5f50b328 --gamemode earth',
    { description: 'In a script:', command: 'fish-cli remove 5f50b328 8ab02f11 -g earth --yes --json' },
  ],
  args: { id: Args.string({ description: 'ids of the records', multiple: true }) },
  flags: { ...gamemodeFlag, ...userFlag, ...serviceFlags, ...passwordStdinFlag, ...yesFlags },

  async run(context) {
    const { args, flags, target } = context
    const ids = args.id ?? []
    if (ids.length === 0) throw usageError('Missing ID.', 'See the ids: fish-cli list --detail')
    const gamemode = await requireGamemode(context, target)
    const client = await openClient(context, target)
    const signal = context.interrupted()
    const found = await fetchRecords(client, { user: requireUser(target, 'Add --user USER'), gamemode, signal })
    const { user } = found
    const records = selectRecords(found.records, ids, gamemode)
    context.note(describeRecords(records))
    const from = `${printable(user)}, ${gamemode}`
    await confirm(context, { ...flags, question: `Remove ${amountText(records)} of ${from}` })
    const password = await readPlayerPassword(context, user, flags)
    const { file, removed } = await removeRecords(context, records, {
      signal,
      run: ({ id, kind }) => resourceOf(client, kind).remove(id, { user, gamemode, password, signal }),
    })
    const document = { user, gamemode, removed: removed.map(({ id }) => id), catches: countOf(removed), file }
    const text = `Removed ${amountText(removed)} of ${from}.\n${takeBackHint(file, user, target)}`
    return context.print(document, () => text, COPYABLE)
  },
})
