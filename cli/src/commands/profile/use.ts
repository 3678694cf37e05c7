import { Args, defineCommand } from '../../command/define.ts'
import { changeConfig } from '../../config/config-file.ts'
import { profileNotFound } from '../../config/profile.ts'

export const profileUseCommand = defineCommand({
  summary: 'Make a profile the current one, used by default.',
  examples: ['fish-cli profile use work'],
  args: { name: Args.string({ description: 'name of the profile', required: true }) },
  completion: { name: { local: 'profiles' } },

  async run(context) {
    const { name } = context.args
    await changeConfig(context, (config) => {
      if (!config.profiles.has(name)) throw profileNotFound(name, config.profiles.keys())
      return { ...config, current: name }
    })
    return context.print({ current: name }, () => `Using profile ${name}.`)
  },
})
