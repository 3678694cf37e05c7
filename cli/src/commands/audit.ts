import type { AuditEntry } from '@fish-crab/sdk/admin'
import { LIMITS } from '@fish-crab/sdk/constants'
import { Flags } from '@oclif/core'
import { parseCatchQuery } from '../catches/catch-query.ts'
import { pageSizeFor, takeFirst } from '../client/admin.ts'
import { type Column, timeColumn } from '../output/columns.ts'
import { AdministrationCommand, administrationFlags } from './admin-command.ts'
import { outputFlags } from './flags.ts'

const COLUMNS: readonly Column<AuditEntry>[] = [
  timeColumn('at'),
  { field: 'actor' },
  { field: 'action', whole: true },
  { field: 'subject' },
  { field: 'address' },
  { field: 'requestId', hidden: true, whole: true },
  { field: 'id', hidden: true, whole: true },
]

const DEFAULT_LIMIT = 100

/** `fish-cli audit` */
export class Audit extends AdministrationCommand {
  static override summary = 'Show who did what, newest first, as an administrator.'
  static override description = 'Logins, readings of keys, and changes. No secret is in the log.'
  static override examples = [
    '<%= config.bin %> audit',
    '<%= config.bin %> audit --since 7d',
    '<%= config.bin %> audit --limit 1000 -o csv --fields at,actor,action,subject',
  ]
  static override flags = {
    limit: Flags.string({
      summary: `Show at most N entries; ${DEFAULT_LIMIT} when left out, or with --since all since then.`,
      helpValue: 'N',
    }),
    since: Flags.string({
      summary: 'Only what was done since a date or so long ago: 2026-01-31, 90m, 7d.',
      helpValue: 'WHEN',
    }),
    ...administrationFlags,
    ...outputFlags,
  }

  async run(): Promise<number> {
    const { flags } = await this.parse(Audit)
    this.checkOutput(flags, COLUMNS)
    const query = parseCatchQuery({ limit: flags.limit, since: flags.since }, this.io.clock.now())
    const { since = Number.NEGATIVE_INFINITY } = query
    const limit = query.limit ?? (query.since === undefined ? DEFAULT_LIMIT : undefined)
    const { admin, options } = await this.administration(flags)
    const pages = admin.audit.iterate({ ...options, pageSize: pageSizeFor(limit, LIMITS.pageSize) })
    const { entries, more } = await takeFirst(pages, limit, ({ at }) => Date.parse(at) >= since)
    const status = await this.printRows(flags, {
      rows: entries,
      columns: COLUMNS,
      document: (shown) => ({ entries: shown, more }),
      empty: 'Nothing was done since then.',
    })
    if (more) this.note(flags.json, `There is more, older than these ${entries.length}: --limit shows more.`)
    return status
  }
}
