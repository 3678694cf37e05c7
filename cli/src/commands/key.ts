import { Args, Flags } from '@oclif/core'
import { administrator } from '../administrator.ts'
import { needUser, openClient, type ServiceFlags } from '../client.ts'
import { FishCommand } from '../fish-command.ts'
import { adminFlag, secretFileFlags, serviceFlags, userFlag } from '../flags.ts'
import { reserveSecretFile } from '../secret-file.ts'
import { readSecret } from '../secrets.ts'
import { printable, table } from '../table.ts'

const SHOWN_CHARACTERS = 4

interface KeyFlags extends ServiceFlags {
  readonly user?: string | undefined
  readonly admin?: string | undefined
}

/** `fish-cli key` */
export class Key extends FishCommand {
  static override summary = 'Get the Fernet key of a player.'
  static override description =
    'Players get their own with their password (FISH_PASSWORD or FISH_PASSWORD_FILE). Administrators name a USER and ' +
    'use theirs (FISH_ADMIN_PASSWORD or FISH_ADMIN_PASSWORD_FILE). The server notes every reading.'
  static override examples = [
    {
      description: 'Your own key, into a file for FISH_KEY_FILE:',
      command: '<%= config.bin %> key --user Alex --out alex.key',
    },
    { description: "Another's key, as an administrator:", command: '<%= config.bin %> key Alex --admin admin --show' },
  ]
  static override args = {
    user: Args.string({ description: 'whose key, as an administrator; left out, your own', ignoreStdin: true }),
  }
  static override flags = {
    show: Flags.boolean({ summary: 'Print the whole key.' }),
    ...secretFileFlags,
    ...userFlag,
    ...adminFlag,
    ...serviceFlags,
  }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(Key)
    const file = flags.out === undefined || flags.out === '-' ? undefined : flags.out
    const reserved = file === undefined ? undefined : await reserveSecretFile(file, flags.force)
    try {
      const { user, fernetKey } = await this.#get(args.user, flags)
      if (file !== undefined) {
        await reserved?.keep(`${fernetKey}\n`)
        return this.print(flags.json, { user, file }, () => `The key of ${printable(user)} is in ${printable(file)}.`)
      }
      if (flags.show || flags.out === '-')
        return this.print(flags.json, { user, fernetKey, masked: false }, () => printable(fernetKey))
      const masked = `${fernetKey.slice(0, SHOWN_CHARACTERS)}${'*'.repeat(8)}`
      this.note(flags.json, 'Only its beginning is shown. --out FILE saves the whole key, --show prints it.')
      return this.print(flags.json, { user, fernetKey: masked, masked: true }, (colours) =>
        table(
          [{ user, masked }],
          [
            { title: 'USER', text: (row) => row.user },
            { title: 'KEY', text: (row) => row.masked },
          ],
          { colours },
        ),
      )
    } catch (error) {
      await reserved?.discard()
      throw error
    }
  }

  async #get(subject: string | undefined, flags: KeyFlags): Promise<{ user: string; fernetKey: string }> {
    const client = await openClient(this.io, flags)
    if (subject !== undefined) {
      const credentials = await administrator(
        this.io,
        flags.admin,
        'Or leave USER out, to get your own key with FISH_PASSWORD.',
      )
      const { fernetKey } = await client.keys.get({ ...credentials, name: subject, signal: this.io.interrupted() })
      return { user: subject, fernetKey }
    }
    const user = needUser(this.io, flags.user, 'Add --user USER')
    const password = await readSecret(this.io, {
      variable: 'FISH_PASSWORD',
      question: `Password of ${printable(user)}`,
    })
    const { fernetKey } = await client.keys.get({ username: user, password, signal: this.io.interrupted() })
    return { user, fernetKey }
  }
}
