import { openLocalOutbox, outboxPath } from '../../client/outbox.ts'
import { resolveTarget } from '../../config/target.ts'
import type { Column } from '../../output/columns.ts'
import { FishCommand } from '../../runtime/fish-command.ts'
import { outputFlags, serviceFlags } from '../flags.ts'

interface Row {
  readonly kind: string
  readonly user: string
  readonly gamemode: string
  readonly queued: number
  readonly setAside: number
}

const COLUMNS: readonly Column<Row>[] = [
  { field: 'kind' },
  { field: 'user' },
  { field: 'gamemode' },
  { field: 'queued', align: 'right' },
  { field: 'setAside', align: 'right' },
]

/** `fish-cli outbox status` */
export class OutboxStatusCommand extends FishCommand {
  static override summary = 'Show what waits to be sent, and what could not be stored.'
  static override description =
    'The outbox holds what watch and add --file took, until the service has it. What the service refuses for good is ' +
    'set aside, with its reason.'
  static override examples = ['<%= config.bin %> outbox status', '<%= config.bin %> outbox status --json']
  static override flags = { ...outputFlags, profile: serviceFlags.profile, url: serviceFlags.url }

  async run(): Promise<number> {
    const { flags } = await this.parse(OutboxStatusCommand)
    this.checkOutput(flags, COLUMNS)
    const path = outboxPath(this.io, resolveTarget(this.io, flags).url.value)
    const { rows, setAside, oldest } = await this.#read(flags)
    const total = (field: 'queued' | 'setAside') => rows.reduce((sum, row) => sum + row[field], 0)
    for (const { id, count, reason } of setAside) {
      this.note(flags.json, `fish-cli: Set aside as ${id}: ${count}, since: ${reason.message}`)
    }
    const document = (collections: readonly object[]) => ({
      path,
      queued: total('queued'),
      setAside: total('setAside'),
      oldest: oldest?.toISOString() ?? null,
      collections,
      batches: setAside,
    })
    return this.printRows(flags, { rows, columns: COLUMNS, document, empty: 'The outbox is empty.' })
  }

  async #read(flags: { readonly profile?: string | undefined; readonly url?: string | undefined }) {
    await using outbox = await openLocalOutbox(this.io, resolveTarget(this.io, flags))
    if (!outbox) return EMPTY
    const { collections, oldest } = await outbox.status()
    // A batch that has its token and no answer waits like any other.
    const rows = collections.map(({ kind, user, gamemode, queued, frozen, dead }) => {
      return { kind, user, gamemode, queued: queued + frozen, setAside: dead }
    })
    const setAside = (await outbox.deadLetters()).map(({ id, collection, reason, at, count }) => {
      return { id, ...collection, count, reason, at: at.toISOString() }
    })
    return { rows, setAside, oldest }
  }
}

const EMPTY = { rows: [], setAside: [], oldest: undefined }
