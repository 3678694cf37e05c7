import { createAdmin } from '../client/admin.ts'
import { notLoggedIn } from '../client/identity.ts'
import { noteUnsent } from '../client/outbox.ts'
import type { ProfileSecrets } from '../config/secret-store.ts'
import { updateSecrets } from '../config/secrets.ts'
import { localTime } from '../core/time.ts'
import { type CommandContext, defineCommand } from '../kit/define.ts'
import { debugFlag, profileFlag } from '../kit/flags.ts'
import { printable } from '../output/text.ts'

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

  async run(context) {
    const { config } = context
    const { profile } = context.target
    if (!profile) throw notLoggedIn()
    const { name, secrets } = profile
    let removed: ProfileSecrets | undefined
    await updateSecrets(context, config, name, (stored) => {
      removed = stored
      return undefined
    })
    if (removed) await endSession(context, removed)
    await noteUnsent(context, profile)
    const result =
      secrets === undefined ? `Profile ${name} has no stored secrets.` : `Removed the secrets of profile ${name}.`
    return context.print({ profile: name, removed: secrets ?? null }, () => result)
  },
})

async function endSession(context: CommandContext, { url, session }: ProfileSecrets): Promise<void> {
  if (session === undefined || !(Date.parse(session.expiresAt) > context.clock.now())) return
  // The session must end at the service that created the session, even if the settings have changed.
  const target = { ...context.target, url: { ...context.target.url, value: url } }
  try {
    const admin = await createAdmin(context, target, { token: session.token })
    await admin.logout({ signal: AbortSignal.any([context.interrupted(), AbortSignal.timeout(DEADLINE_MS)]) })
  } catch {
    const until = printable(localTime(session.expiresAt))
    context.note(`The service did not confirm that the session ended. The session expires at ${until} (local time).`)
  }
}
