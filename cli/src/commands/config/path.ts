import { defineCommand } from '../../command/define.ts'
import { configPath, folders, secretsPath } from '../../config/paths.ts'
import { printable } from '../../output/text.ts'

export const configPathCommand = defineCommand({
  summary: 'Print the path of the configuration file, whether or not it exists.',
  description: 'With --json, also prints the folders and the path of the secrets file, used where there is no keyring.',
  examples: ['fish-cli config path', 'fish-cli config path --json'],

  async run(context) {
    const path = configPath(context)
    const data = { path, secrets: secretsPath(context), folders: folders(context) }
    return context.print(data, () => printable(path), { isVerbatim: true })
  },
})
