import { createClient } from '@fish-crab/sdk'
import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { isOnlyLocal } from '../../../../server/web/src/admin/data/local-address.ts'
import { usageError } from '../../core/errors.ts'
import { isServiceUrl } from '../../core/parse-values.ts'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { addressFlags, gamemodeFlag } from '../../kit/flags.ts'
import { clientOptions } from '../../session/client.ts'
import { COPYABLE } from '../../terminal/terminal.ts'

const STATUS_MS = 3000

export const openCommand = defineCommand({
  summary: "Open a player's collection in a browser.",
  description:
    'The command prints the address of the page and opens the page in your browser. Without USER, the command ' +
    'opens your own collection, or the home page if it knows no player.',
  examples: ['fish-cli open', 'fish-cli open Alex --gamemode earth', 'fish-cli open Alex --print'],
  args: { user: Args.string({ description: 'the player (FISH_USER)' }) },
  flags: {
    print: Flags.boolean({ summary: 'Only print the address.' }),
    ...gamemodeFlag,
    ...addressFlags,
  },

  async run({ session, terminal, args, flags }) {
    const own = session.withFlags({ ...flags, user: args.user })
    const user = own.target.user?.value
    if (user !== undefined && !isUserName(user)) throw usageError(`A player name must be ${USER_NAME_RULE}.`)
    // Creating a client checks the address of the service.
    const client = createClient({ ...clientOptions(own), maxWaitMs: 0, maxRetries: 0 })
    const publicUrl = () =>
      client.status({ signal: AbortSignal.timeout(STATUS_MS) }).then(
        ({ publicUrl: given = client.baseUrl }) => (isServiceUrl(given) ? given : client.baseUrl),
        () => client.baseUrl,
      )
    const baseUrl = isOnlyLocal(client.baseUrl) ? await publicUrl() : client.baseUrl
    const gamemode = await own.optionalGamemode()
    const query = gamemode === undefined ? '' : `?gamemode=${gamemode}`
    const url = user === undefined ? `${baseUrl}/` : `${baseUrl}/@${user}${query}`
    const isOpened = !flags.print && (await session.system.openBrowser?.(url)) === true
    if (!flags.print && !isOpened) terminal.note('No browser was found on this machine. Open the address yourself.')
    return terminal.print({ url, opened: isOpened }, () => url, COPYABLE)
  },
})
