import { configPath, folders, secretsPath } from '../../config/paths.ts'
import { printable } from '../../output/text.ts'
import { FishCommand } from '../../runtime/fish-command.ts'

/** `fish-cli config path` */
export class ConfigPath extends FishCommand {
  static override summary = 'Print the path of the configuration file, whether or not it exists.'
  static override description = 'With --json also the folders, and the file of secrets where no keyring keeps them.'
  static override examples = ['<%= config.bin %> config path', '<%= config.bin %> config path --json']

  async run(): Promise<number> {
    const { flags } = await this.parse(ConfigPath)
    const path = configPath(this.io)
    const data = { path, secrets: secretsPath(this.io), folders: folders(this.io) }
    return this.print(flags.json, data, () => printable(path), { isVerbatim: true })
  }
}
