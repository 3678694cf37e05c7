import { notLoggedIn } from '../client/identity.ts'
import { noteUnsent } from '../client/outbox.ts'
import { defineCommand } from '../command/define.ts'
import { profileFlag } from '../command/flags.ts'
import { updateSecrets } from '../config/secrets.ts'

export const logoutCommand = defineCommand({
  summary: 'Remove your key and other secrets from this machine.',
  description:
    'The profile and the account stay. If others may have seen the key, have it replaced with fish-cli key rotate.',
  examples: ['fish-cli logout', 'fish-cli logout --profile bob'],
  flags: { ...profileFlag },

  async run(context) {
    const { config } = context
    const { profile } = context.target
    if (!profile) throw notLoggedIn()
    const { name, secrets } = profile
    await updateSecrets(context, config, name, () => undefined)
    noteUnsent(context, profile)
    const result = secrets === undefined ? 'No secrets stored for' : 'Removed the secrets of'
    return context.print({ profile: name, removed: secrets ?? null }, () => `${result} profile ${name}.`)
  },
})
