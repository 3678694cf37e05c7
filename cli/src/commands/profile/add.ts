import { createClient } from '@fish-crab/sdk'
import { gamemodeOf } from '../../client/gamemodes.ts'
import { noteUnsent } from '../../client/outbox.ts'
import { Args, defineCommand, Flags } from '../../command/define.ts'
import { adminFlag, gamemodeFlag, userFlag } from '../../command/flags.ts'
import { changeConfig } from '../../config/config-file.ts'
import { parseProfileName } from '../../config/profile.ts'
import type { Config, Profile } from '../../core/context.ts'
import { CliError, EXIT } from '../../core/errors.ts'
import { printable } from '../../output/text.ts'

export const profileAddCommand = defineCommand({
  summary: 'Add a profile: the address of a service and your account there.',
  description: 'A new profile has no secrets; fish-cli login adds them. The first profile becomes the current one.',
  examples: [
    'fish-cli profile add home --url http://127.0.0.1:8787 --user Alex',
    'fish-cli profile add work --url https://fish.example.org --use',
  ],
  args: { name: Args.string({ description: 'name of the profile', required: true }) },
  flags: {
    url: Flags.string({ summary: 'Address of the service.', helpValue: 'URL', required: true }),
    ...userFlag,
    ...gamemodeFlag,
    ...adminFlag,
    use: Flags.boolean({ summary: 'Make it the current one.' }),
    replace: Flags.boolean({
      summary: 'Replace an existing profile. Its secrets stay and are used only for their service.',
    }),
  },

  async run(context) {
    const { args, flags } = context
    const name = parseProfileName(args.name)
    const { url, user, admin } = flags
    // The SDK validates the address and the user.
    createClient({ baseUrl: url, user, env: {} })
    const gamemode = flags.gamemode === undefined ? undefined : await gamemodeOf(context, context.target)
    const profile: Profile = { url, user, gamemode, admin }
    const change = (config: Config): Config => {
      const old = config.profiles.get(name)
      if (old && !flags.replace) {
        throw new CliError({
          code: 'profile_exists',
          message: `Profile ${name} already exists.`,
          hint: 'Choose another name, or add --replace.',
          exit: EXIT.conflict,
        })
      }
      const profiles = new Map(config.profiles).set(name, { ...profile, secrets: old?.secrets })
      return { ...config, profiles, current: flags.use ? name : (config.current ?? name) }
    }
    const former = context.config.profiles.get(name)
    const { current } = await changeConfig(context, change)
    await noteUnsent(context, former, url)
    const suffix = current === name ? ', the current one' : ''
    return context.print(
      { name, ...profile, current: current === name },
      () => `Added profile ${name} for ${printable(url)}${suffix}.`,
    )
  },
})
