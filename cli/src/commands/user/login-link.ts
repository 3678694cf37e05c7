import { withUnknownOutcome } from '../../core/describe-error.ts'
import { localTime } from '../../core/time.ts'
import { Args, defineCommand } from '../../kit/define.ts'
import { administrationFlags, hoursFlag, parseHours } from '../../kit/flags.ts'
import { COPYABLE } from '../../terminal/terminal.ts'

export const userLoginLinkCommand = defineCommand({
  summary: 'Create a link with which a player chooses a password, as an administrator.',
  description:
    'The link works once. The page of the link gives the player a login file with a new API key. The link is a secret, ' +
    'and replaces an earlier link. A reset, a new password and a suspension end it. The server needs FISH_PUBLIC_URL.',
  examples: [
    'fish-cli user login-link Alex',
    { description: 'A link that works for a day:', command: 'fish-cli user login-link Alex --hours 24' },
  ],
  args: { name: Args.string({ description: 'name of the player', required: true }) },
  flags: { ...hoursFlag, ...administrationFlags },
  completion: { name: { local: 'users' } },
  role: 'administrator',

  async run({ session, terminal, args, flags }) {
    const hours = parseHours(flags.hours)
    const admin = await session.admin()
    const creating = admin.users.createLoginLink(args.name, { hours }, { signal: session.signal })
    const { url, expiresAt } = await creating.catch((error) => {
      throw withUnknownOutcome(error, { hint: 'Repeat the command for another link, which replaces this link.' })
    })
    terminal.note(`This link of ${args.name} works once, until ${localTime(expiresAt)} (local time).`)
    return terminal.print({ name: args.name, url, expiresAt }, () => url, COPYABLE)
  },
})
