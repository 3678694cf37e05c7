import { noteUnsent } from '../../client/outbox.ts'
import { Args, defineCommand } from '../../command/define.ts'
import { yesFlags } from '../../command/flags.ts'
import { changeConfig } from '../../config/config-file.ts'
import { isKeyringFailure } from '../../config/keyring.ts'
import { profileNotFound } from '../../config/profile.ts'
import { updateSecrets } from '../../config/secrets.ts'
import type { Config } from '../../core/context.ts'
import { EXIT } from '../../core/errors.ts'
import { confirm } from '../../output/prompt.ts'

export const profileRemoveCommand = defineCommand({
  summary: 'Remove a profile and its secrets from this machine.',
  description: 'Nothing changes at the service: the player and its key stay valid.',
  examples: ['fish-cli profile remove work --yes'],
  args: { name: Args.string({ description: 'name of the profile', required: true }) },
  flags: { ...yesFlags },
  completion: { name: { local: 'profiles' } },

  async run(context) {
    const { args, flags, config } = context
    const { name } = args
    const profile = config.profiles.get(name)
    if (!profile) throw profileNotFound(name, config.profiles.keys())
    await confirm(context, { question: `Remove profile ${name} and its secrets from this machine`, ...flags })
    const forgetting = updateSecrets(context, config, name, () => undefined).then(() => true)
    const isForgotten = await forgetting.catch((error: unknown) => {
      // An unavailable keyring does not prevent removing the profile.
      if (isKeyringFailure(error)) return false
      throw error
    })
    await changeConfig(context, (current) => without(current, name))
    context.print(
      { name, secrets: profile.secrets ?? null, secretsRemoved: isForgotten },
      () => `Removed profile ${name}.`,
    )
    await noteUnsent(context, profile)
    if (isForgotten) return EXIT.ok
    context.note('Its secrets are still in the keyring, which is unavailable. Remove the entries of fish-crab there.')
    return EXIT.partly
  },
})

function without(config: Config, name: string): Config {
  const { current, profiles } = config
  const rest = new Map(profiles)
  rest.delete(name)
  return { ...config, current: current === name ? undefined : current, profiles: rest }
}
