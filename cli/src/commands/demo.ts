import { crabTable, fishTable } from '../catch-tables.ts'
import { openClient } from '../client.ts'
import { FishCommand } from '../fish-command.ts'
import { serviceFlags } from '../flags.ts'

/** `fish-cli demo` */
export class Demo extends FishCommand {
  static override summary = 'Show the sample collections that every service answers with.'
  static override examples = ['<%= config.bin %> demo', '<%= config.bin %> demo --json']
  static override flags = serviceFlags

  async run(): Promise<number> {
    const { flags } = await this.parse(Demo)
    const { demo } = await openClient(this.io, flags)
    const signal = this.io.interrupted()
    const [{ user, fish }, { crab }] = await Promise.all([demo.fish({ signal }), demo.crabs({ signal })])
    return this.print(flags.json, { user, fish, crab }, (colours) => {
      const options = { colours, detail: false }
      return `${fishTable(fish, options)}\n\n${crabTable(crab, options)}`
    })
  }
}
