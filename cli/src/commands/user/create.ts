import type { CreatedUser } from '@fish-crab/sdk/contract'
import { Args } from '@oclif/core'
import { type AdminCredentials, administrator, openAdminClient } from '../../administrator.ts'
import type { ServiceFlags } from '../../client.ts'
import { FishCommand } from '../../fish-command.ts'
import { adminFlag, secretFileFlags, serviceFlags } from '../../flags.ts'
import { reserveSecretFile } from '../../secret-file.ts'
import { printable, table } from '../../table.ts'

/** `fish-cli user create` */
export class UserCreate extends FishCommand {
  static override summary = 'Create a player, as an administrator.'
  static override description =
    'Prints the password, the Fernet key and the API key of the player. They are shown this once. The password of the ' +
    'administrator comes from FISH_ADMIN_PASSWORD or FISH_ADMIN_PASSWORD_FILE.'
  static override examples = [
    '<%= config.bin %> user create Alex',
    '<%= config.bin %> user create Alex --admin admin --out alex.json',
  ]
  static override args = { name: Args.string({ description: 'name of the player', required: true, ignoreStdin: true }) }
  static override flags = { ...adminFlag, ...secretFileFlags, url: serviceFlags.url }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(UserCreate)
    const credentials = await administrator(this.io, flags.admin)
    const file = flags.out === undefined || flags.out === '-' ? undefined : flags.out
    const reserved = file === undefined ? undefined : await reserveSecretFile(file, flags.force)
    const user = await this.#create(args.name, credentials, flags).catch(async (error: unknown) => {
      await reserved?.discard()
      throw error
    })
    if (file === undefined) {
      this.note(flags.json, 'Keep these: they are shown this once.')
      return this.print(flags.json, user, (colours) => secretsTable(user, colours))
    }
    await reserved?.keep(`${JSON.stringify(user, undefined, 2)}\n`)
    const { id, name, createdAt } = user
    const done = `Created ${printable(name)}. The password and the keys are in ${printable(file)}.`
    return this.print(flags.json, { id, name, createdAt, file }, () => done)
  }

  async #create(name: string, credentials: AdminCredentials, flags: ServiceFlags): Promise<CreatedUser> {
    const admin = await openAdminClient(this.io, flags, credentials)
    const {
      rateLimit: _,
      requestId: __,
      ...user
    } = await admin.users.create({ name }, { signal: this.io.interrupted() })
    return user
  }
}

function secretsTable({ name, password, fernetKey, apiKey }: CreatedUser, colours: boolean): string {
  const rows: readonly (readonly [string, string])[] = [
    ['name', name],
    ['password', password],
    ['Fernet key', fernetKey],
    ['API key', apiKey],
  ]
  return table(
    rows,
    [
      { title: 'WHAT', text: ([what]) => what },
      { title: 'VALUE', text: ([, value]) => value },
    ],
    { colours },
  )
}
