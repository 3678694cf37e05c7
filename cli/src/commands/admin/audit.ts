import type { AuditEntry } from '@fish-crab/sdk/admin'
import { LIMITS } from '@fish-crab/sdk/constants'
import { AUDIT_ACTIONS } from '@fish-crab/sdk/contract'
import { parseChoice } from '../../core/parse-values.ts'
import { defineCommand, Flags, words } from '../../kit/define.ts'
import { administrationFlags, outputFlags } from '../../kit/flags.ts'
import { type Column, timeColumn } from '../../terminal/table.ts'
import { parseCatchQuery } from '../list/catch-query.ts'
import { pageSizeFor, takeFirst } from './pages.ts'

const COLUMNS: readonly Column<AuditEntry>[] = [
  timeColumn('at'),
  { field: 'actor' },
  { field: 'action', whole: true },
  { field: 'subject' },
  { field: 'catches' },
  { field: 'species', value: ({ species }) => species?.join(', ') },
  { field: 'address' },
  { field: 'count', title: 'TIMES' },
  { field: 'lastAt', hidden: true, whole: true },
  { field: 'record', hidden: true, whole: true },
  { field: 'gamemode', hidden: true },
  { field: 'movedTo', hidden: true },
  { field: 'requestId', hidden: true, whole: true },
  { field: 'id', hidden: true, whole: true },
]

const DEFAULT_LIMIT = 100

export const auditCommand = defineCommand({
  summary: 'Show the audit log, newest first, as an administrator.',
  description: 'The log lists logins, key retrievals and changes. The log contains no secrets.',
  examples: [
    'fish-cli audit',
    'fish-cli audit --since 7d',
    'fish-cli audit --about Alex --action fish.delete',
    { description: 'Export for a spreadsheet:', command: 'fish-cli audit --limit 1000 --csv' },
  ],
  flags: {
    limit: Flags.string({
      summary: `Show at most N entries (default ${DEFAULT_LIMIT}; with --since, all entries since that time).`,
      helpValue: 'N',
    }),
    since: Flags.string({
      summary: 'Only entries since a local date or time, or how long ago: 2026-01-31, 2026-01-31T12:00, 90m, 7d.',
      helpValue: 'WHEN',
    }),
    actor: Flags.string({ summary: 'Only actions of this player or administrator.', helpValue: 'NAME' }),
    about: Flags.string({ summary: 'Only actions that concern this player or administrator.', helpValue: 'NAME' }),
    action: Flags.string({ summary: 'Only this action, such as login or fish.delete.', helpValue: 'ACTION' }),
    ...administrationFlags,
    ...outputFlags,
  },
  completion: { action: words(AUDIT_ACTIONS) },
  role: 'administrator',

  async run({ session, terminal, flags }) {
    const query = parseCatchQuery({ limit: flags.limit, since: flags.since }, session.clock.now())
    const { since = Number.NEGATIVE_INFINITY } = query
    const limit = query.limit ?? (query.since === undefined ? DEFAULT_LIMIT : undefined)
    const action = flags.action === undefined ? undefined : parseChoice('--action', flags.action, AUDIT_ACTIONS)
    const admin = await session.admin()
    const filter = { actor: flags.actor, user: flags.about, action }
    const pages = admin.audit.iterate({
      signal: session.signal,
      ...filter,
      pageSize: pageSizeFor(limit, LIMITS.pageSize),
    })
    const { entries, more } = await takeFirst(pages, limit, ({ at }) => Date.parse(at) >= since)
    const status = await terminal.printRows({
      rows: entries,
      columns: COLUMNS,
      document: { entries, more },
      empty: 'No matching entries.',
    })
    if (more)
      terminal.note(`The log has more entries than these ${entries.length}. To see older entries, raise --limit.`)
    return status
  },
})
