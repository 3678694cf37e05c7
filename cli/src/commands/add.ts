import { RARITIES, type RarityValue, rarityValue } from '@fish-crab/sdk'
import { Args, Flags } from '@oclif/core'
import { usageError } from '../cli-error.ts'
import { needGamemode, needUser, openClient } from '../client.ts'
import { FishCommand } from '../fish-command.ts'
import { gamemodeFlag, serviceFlags, userFlag } from '../flags.ts'
import { readSecret } from '../secrets.ts'
import { printable } from '../table.ts'

const RARITY_LIST = RARITIES.map(({ value, label }) => `${value} ${label}`).join(', ')

/** `fish-cli add` */
export class Add extends FishCommand {
  static override summary = 'Add a fish or a crab to your collection.'
  static override description =
    `It is encrypted with your key: FISH_KEY, or FISH_KEY_FILE, the path of a file that holds it.`
  static override examples = [
    '<%= config.bin %> add Salmon --rarity gold --gamemode earth --user Alex',
    '<%= config.bin %> add "Bronze Koi" -r 1 -g earth',
    '<%= config.bin %> add --crab -g earth',
  ]
  static override args = { name: Args.string({ description: 'name of the fish, or of a crab', ignoreStdin: true }) }
  static override flags = {
    rarity: Flags.string({ char: 'r', summary: `How rare the fish is: ${RARITY_LIST}.`, helpValue: 'RARITY' }),
    crab: Flags.boolean({ summary: 'It is a crab, with no rarity.' }),
    ...gamemodeFlag,
    ...userFlag,
    ...serviceFlags,
  }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(Add)
    if (flags.crab && flags.rarity !== undefined)
      throw usageError('A crab has no rarity.', 'Leave --rarity or --crab out.')
    const fish = flags.crab ? undefined : fishOf(args.name, flags.rarity)
    const user = needUser(this.io, flags.user, 'Add --user USER')
    const gamemode = needGamemode(this.io, flags.gamemode)
    const fernetKey = await readSecret(this.io, { variable: 'FISH_KEY', question: `Fernet key of ${printable(user)}` })
    const client = await openClient(this.io, flags, { user, gamemode, fernetKey })
    const signal = this.io.interrupted()
    const crab = args.name === undefined ? {} : { name: args.name }
    const saved = fish ? await client.fish.add(fish, { signal }) : await client.crabs.add(crab, { signal })
    const { message, id, replayed } = saved
    return this.print(flags.json, { message, id, replayed }, () => printable(message))
  }
}

function fishOf(name: string | undefined, rarity: string | undefined): { name: string; rarity: RarityValue } {
  if (name === undefined)
    throw usageError('Say what was caught.', 'Such as: fish-cli add Salmon --rarity gold, or: fish-cli add --crab')
  if (rarity === undefined)
    throw usageError('Say how rare it is.', `Add --rarity with a number or a label: ${RARITY_LIST}.`)
  const value = rarityValue(/^\d+$/.test(rarity) ? Number(rarity) : rarity)
  if (value === undefined)
    throw usageError('There is no such rarity.', `Give --rarity a number or a label: ${RARITY_LIST}.`)
  return { name, rarity: value }
}
