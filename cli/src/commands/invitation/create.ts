import { ACCOUNT_LIMITS } from '@fish-crab/sdk/constants'
import { commandLine } from '../../core/argv.ts'
import { withUnknownOutcome } from '../../core/describe-error.ts'
import { usageError } from '../../core/errors.ts'
import { parseWholeNumber } from '../../core/parse-values.ts'
import { localTime } from '../../core/time.ts'
import { defineCommand, Flags } from '../../kit/define.ts'
import { administrationFlags, hoursFlag, parseHours } from '../../kit/flags.ts'
import { administratorWords } from '../../session/target.ts'
import { COPYABLE } from '../../terminal/terminal.ts'

export const invitationCreateCommand = defineCommand({
  summary: 'Create a link with which players create their own accounts, as an administrator.',
  description:
    'Each player chooses a name and a password on the page of the link. The link is a secret: everybody who has it can ' +
    'create accounts until all uses are taken. It is shown only once. The server needs FISH_PUBLIC_URL.',
  examples: ['fish-cli invitation create --uses 30', 'fish-cli invitation create --uses 5 --hours 24'],
  flags: {
    uses: Flags.string({
      summary: `Number of players that can use the link, 1 to ${ACCOUNT_LIMITS.invitationUses}.`,
      helpValue: 'N',
    }),
    ...hoursFlag,
    ...administrationFlags,
  },
  role: 'administrator',

  async run({ session, terminal, flags }) {
    if (flags.uses === undefined) {
      throw usageError('Missing --uses.', 'For example: fish-cli invitation create --uses 30')
    }
    const uses = parseWholeNumber('--uses', flags.uses, 1, ACCOUNT_LIMITS.invitationUses)
    const hours = parseHours(flags.hours)
    const admin = await session.admin()
    const created = await admin.invitations.create({ uses, hours }, { signal: session.signal }).catch((error) => {
      const list = commandLine('invitation', 'list', ...administratorWords(session.target))
      throw withUnknownOutcome(error, { hint: `Its link is lost. If it is in the list, end it: ${list}` })
    })
    const { id, url, expiresAt } = created
    const players = uses === 1 ? '1 player' : `${uses} players`
    terminal.note(`This link works for ${players}, until ${localTime(expiresAt)} (local time). Its id is ${id}.`)
    return terminal.print({ id, uses, url, expiresAt }, () => url, COPYABLE)
  },
})
