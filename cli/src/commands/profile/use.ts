import { Args, defineCommand } from '../../command/define.ts'
import { changeConfig } from '../../config/config-file.ts'
import { profileNotFound } from '../../config/profile.ts'
import type { Config } from '../../core/context.ts'

export const profileUseCommand = defineCommand({
  summary: 'Make a profile the current one, used by default.',
  examples: ['fish-cli profile use work'],
  args: { name: Args.string({ description: 'name of the profile', required: true }) },
  completion: { name: { local: 'profiles' } },

  async run(context) {
    const { args } = context
    const change = (config: Config) => {
      if (!config.profiles.has(args.name)) throw profileNotFound(args.name, config.profiles.keys())
      return { ...config, current: args.name }
    }
    const { current } = await changeConfig(context, change)
    return context.print({ current }, () => `Using profile ${current}.`)
  },
})
