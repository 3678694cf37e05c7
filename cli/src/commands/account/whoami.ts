import { commandLine } from '../../core/argv.ts'
import { CliError, EXIT } from '../../core/errors.ts'
import { defineCommand, Flags } from '../../kit/define.ts'
import { serviceFlags, userFlag } from '../../kit/flags.ts'
import { serviceWords, type Target } from '../../session/target.ts'
import { type Column, fieldLines, timeColumn } from '../../terminal/table.ts'
import { testKey, testSession } from './fetch-login.ts'
import { findIdentity, notLoggedIn } from './identity.ts'

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

  async run({ session, terminal, flags }) {
    const { target } = session
    const { fernetKey, session: stored, ...identity } = await findIdentity(session)
    if (!identity.profile && !identity.user && !identity.key) throw notLoggedIn()
    const { user } = identity
    let accepted: boolean | null = null
    if (!flags.offline && fernetKey !== undefined && user !== null) {
      const client = await session.client()
      accepted = (await testKey(client, { user, fernetKey, signal: session.signal })).accepted
      if (!accepted) throw keyRefused(user, target)
    }
    if (!flags.offline && stored !== undefined) {
      const trial = await testSession(session, stored)
      if (trial === 'refused') throw sessionRefused(stored.username, target)
      if (trial === 'accepted') accepted ??= true
    }
    const row = { ...identity, accepted }
    return terminal.print(row, () => fieldLines(row, COLUMNS))
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
