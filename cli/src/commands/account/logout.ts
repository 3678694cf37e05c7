import { localTime } from '../../core/time.ts'
import { defineCommand } from '../../kit/define.ts'
import { debugFlag, profileFlag } from '../../kit/flags.ts'
import { createAdmin } from '../../session/admin.ts'
import { noteUnsent } from '../../session/outbox.ts'
import type { ProfileSecrets } from '../../session/secret-store.ts'
import { updateSecrets } from '../../session/secrets.ts'
import type { Session } from '../../session/session.ts'
import { notLoggedIn } from './identity.ts'

/**
 * Maximum wait for the service to end the session. The secrets are already removed from this machine before the wait.
 */
const DEADLINE_MS = 5000

export const logoutCommand = defineCommand({
  summary: 'Remove your key and other secrets from this machine.',
  description:
    'Your profile and your account stay. The session of an administrator also ends at the service. If somebody ' +
    'may have seen your key, ask an administrator to replace it, and log in again.',
  examples: ['fish-cli logout', 'fish-cli logout --profile bob'],
  flags: { ...profileFlag, ...debugFlag },

  async run({ session, terminal }) {
    const { config } = session
    const { profile } = session.target
    if (!profile) throw notLoggedIn()
    const { name, secrets } = profile
    let removed: ProfileSecrets | undefined
    await updateSecrets(session.system, config, name, (stored) => {
      removed = stored
      return undefined
    })
    if (removed) await endSession(session, removed)
    await noteUnsent(session, profile)
    const result =
      secrets === undefined ? `Profile ${name} has no stored secrets.` : `Removed the secrets of profile ${name}.`
    return terminal.print({ profile: name, removed: secrets ?? null }, () => result)
  },
})

async function endSession(own: Session, { url, session }: ProfileSecrets): Promise<void> {
  if (session === undefined || !(Date.parse(session.expiresAt) > own.clock.now())) return
  // The session must end at the service that created the session, even if the settings have changed.
  const service = own.at({ ...own.target, url: { ...own.target.url, value: url } })
  try {
    const admin = createAdmin(service, { token: session.token })
    await admin.logout({ signal: AbortSignal.any([own.signal, AbortSignal.timeout(DEADLINE_MS)]) })
  } catch {
    const until = localTime(session.expiresAt)
    own.terminal.note(
      `The service did not confirm that the session ended. The session expires at ${until} (local time).`,
    )
  }
}
