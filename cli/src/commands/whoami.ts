import { openClient } from '../client/client.ts'
import { findIdentity, notLoggedIn } from '../client/identity.ts'
import { testKey, testSession } from '../client/login.ts'
import { serviceWords, type Target } from '../config/target.ts'
import { commandLine } from '../core/command-line.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { defineCommand, Flags } from '../kit/define.ts'
import { serviceFlags, userFlag } from '../kit/flags.ts'
import { type Column, timeColumn } from '../output/columns.ts'
import { fieldLines } from '../output/rows.ts'

const COLUMNS: readonly Column[] = [
  { field: 'profile' },
  { field: 'url', whole: true },
  { field: 'user' },
  { field: 'gamemode' },
  { field: 'key' },
  { field: 'apiKey' },
  { field: 'accepted', text: (value) => (value === null ? 'not checked' : 'yes') },
  { field: 'admin' },
  timeColumn('sessionUntil'),
]

export const whoamiCommand = defineCommand({
  summary: 'Show the service, your account and whether your key works.',
  description:
    'The command also shows the current profile and where your key is stored. One request, which stores nothing, ' +
    'tests the key. The command shows no secret.',
  examples: ['fish-cli whoami', 'fish-cli whoami --offline --json'],
  flags: {
    offline: Flags.boolean({ summary: 'Send no request and do not test the key.' }),
    ...userFlag,
    ...serviceFlags,
  },

  async run(context) {
    const { flags, target } = context
    const { fernetKey, session, ...identity } = await findIdentity(context, target)
    if (!identity.profile && !identity.user && !identity.key) throw notLoggedIn()
    const { user } = identity
    let accepted: boolean | null = null
    if (!flags.offline && fernetKey !== undefined && user !== null) {
      const client = await openClient(context, target)
      accepted = (await testKey(client, { user, fernetKey, signal: context.interrupted() })).accepted
      if (!accepted) throw keyRefused(user, target)
    }
    if (!flags.offline && session !== undefined) {
      const trial = await testSession(context, target, session, context.interrupted())
      if (trial === 'refused') throw sessionRefused(session.username, target)
      if (trial === 'accepted') accepted ??= true
    }
    const row = { ...identity, accepted }
    return context.print(row, () => fieldLines(row, COLUMNS))
  },
})

function keyRefused(user: string, target: Target): CliError {
  return new CliError({
    code: 'invalid_key',
    message: `The service rejects this key of ${user}.`,
    hint: `The key was replaced, or belongs to another player. Log in again: ${commandLine('login', user, ...serviceWords(target))}`,
    exit: EXIT.credentials,
  })
}

function sessionRefused(username: string, target: Target): CliError {
  return new CliError({
    code: 'invalid_session',
    message: `The session of the administrator ${username} is no longer valid.`,
    hint: `Log in again: ${commandLine('login', username, '--admin', ...serviceWords(target))}`,
    exit: EXIT.credentials,
  })
}
