import { EXIT } from '../core/errors.ts'
import type { Column } from '../output/columns.ts'
import { renderTable } from '../output/table.ts'

/** What each exit status says; the README holds the same table. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  failure: 'failed: the server did, it is no such service, or the answer was no',
  usage: 'typed wrongly, or refused by the service as invalid',
  credentials: 'credentials: missing, wrong, not allowed, or not of this player',
  notFound: 'not found',
  conflict: 'conflict: it exists already, also a file that would be overwritten',
  partly: 'partly done',
  unreachable: 'the service, its storage or a proxy is out of reach',
  rateLimited: 'rate limited for longer than may be waited; retryAt says until when',
  interrupted: 'interrupted',
}

/** The word behind `help` that shows {@link exitCodesPage}. */
export const EXIT_CODES_PAGE = 'exit-codes'

const BEFORE = 'What every command ends with, for scripts ($? in a shell):'
const AFTER = 'With --json, what is printed about a failure holds it too: error.exit.'

/** All exit codes, as text. */
export function exitCodesPage(colours: boolean): string {
  const rows = Object.entries(EXIT_MEANINGS).map(([name, meaning]) => ({
    exit: EXIT[name as keyof typeof EXIT],
    meaning,
  }))
  const columns: readonly Column<(typeof rows)[number]>[] = [{ field: 'exit', align: 'right' }, { field: 'meaning' }]
  const table = renderTable(rows, columns, { colours, unicode: true, width: undefined })
  return `${BEFORE}\n\n${table}\n\n${AFTER}\n`
}
