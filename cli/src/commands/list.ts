import { Args, Flags } from '@oclif/core'
import { crabTable, fishTable } from '../catch-tables.ts'
import { usageError } from '../cli-error.ts'
import { needGamemode, needUser, openClient } from '../client.ts'
import { FishCommand } from '../fish-command.ts'
import { gamemodeFlag, serviceFlags } from '../flags.ts'

type Kind = 'fish' | 'crab'

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['fish', 'fish'],
  ['crab', 'crab'],
  ['crabs', 'crab'],
])

/** `fish-cli list` */
export class List extends FishCommand {
  static override summary = 'List what a player has caught, oldest first. Needs no key.'
  static override examples = [
    '<%= config.bin %> list fish Alex --gamemode earth',
    '<%= config.bin %> list crabs Alex --gamemode earth --detail',
    '<%= config.bin %> list --json',
  ]
  static override args = {
    kind: Args.string({ description: 'fish or crabs; fish when left out', ignoreStdin: true }),
    user: Args.string({ description: 'the player (FISH_USER)', ignoreStdin: true }),
  }
  static override flags = {
    ...gamemodeFlag,
    detail: Flags.boolean({ char: 'd', summary: 'Show the time and the record of each catch too.' }),
    ...serviceFlags,
  }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(List)
    const { kind, named } = subjectOf(args)
    const user = needUser(this.io, named, `Name one: fish-cli list ${kind === 'fish' ? 'fish' : 'crabs'} USER`)
    const gamemode = needGamemode(this.io, flags.gamemode)
    const client = await openClient(this.io, flags)
    const detail = flags.detail
    const query = { user, gamemode, signal: this.io.interrupted(), ...(detail ? { detail: 'full' as const } : {}) }
    if (kind === 'fish') {
      const { user: name, fish } = await client.fish.list(query)
      if (fish.length === 0) this.note(flags.json, `${name} has no fish in ${gamemode} yet.`)
      return this.print(flags.json, { user: name, gamemode, fish }, (colours) =>
        fish.length === 0 ? '' : fishTable(fish, { colours, detail }),
      )
    }
    const { user: name, crab } = await client.crabs.list(query)
    if (crab.length === 0) this.note(flags.json, `${name} has no crabs in ${gamemode} yet.`)
    return this.print(flags.json, { user: name, gamemode, crab }, (colours) =>
      crab.length === 0 ? '' : crabTable(crab, { colours, detail }),
    )
  }
}

/** `list Alex` means the fish of Alex. */
function subjectOf(args: { readonly kind?: string | undefined; readonly user?: string | undefined }): {
  readonly kind: Kind
  readonly named: string | undefined
} {
  const kind = args.kind === undefined ? 'fish' : KINDS.get(args.kind)
  if (kind) return { kind, named: args.user }
  if (args.user === undefined) return { kind: 'fish', named: args.kind }
  throw usageError('What to list must be fish or crabs.', 'Such as: fish-cli list crabs USER')
}
