import { resolveTarget, type Target } from '../config/target.ts'
import { EXIT } from '../core/errors.ts'
import type { Column } from '../output/columns.ts'
import type { Style } from '../output/screen.ts'
import { defineCommand, Flags } from './define.ts'
import { checkLocally, checkOutbox, checkService, type Finding, type Health, threw } from './doctor-checks.ts'
import { outputFlags, serviceFlags, userFlag } from './flags.ts'

const STYLES: Readonly<Record<Health, Style>> = { ok: 'green', warn: 'yellow', fail: 'red' }

const COLUMNS: readonly Column<Finding>[] = [
  { field: 'check', whole: true },
  { field: 'status', whole: true, style: (_, { status }) => STYLES[status] },
  { field: 'found', wrap: true },
  { field: 'mend', title: 'TO DO', wrap: true },
]

export const doctorCommand = defineCommand({
  summary: 'Diagnose problems and suggest fixes.',
  description:
    'Checks Node, the settings, the storage of secrets, the outbox, the connection to the service, its version and clock, ' +
    'and your keys. Sends at most three requests, which store nothing. Exits with 1 when a check fails; warnings do not count.',
  examples: ['fish-cli doctor', 'fish-cli doctor --json --offline'],
  flags: {
    offline: Flags.boolean({ summary: 'Check only this machine and send no request.' }),
    ...userFlag,
    url: serviceFlags.url,
    profile: serviceFlags.profile,
    ...outputFlags,
  },
  columns: COLUMNS,

  async run(context) {
    const { flags } = context
    const { findings, config } = await checkLocally(context)
    const rows = [...findings]
    const target = resolveOrReport(rows, () => resolveTarget({ env: context.env, config }, flags))
    if (target) rows.push(await checkOutbox(context, target))
    if (target && !flags.offline) rows.push(...(await checkService(context, target)))
    const isHealthy = rows.every(({ status }) => status !== 'fail')
    const document = (checks: readonly object[]) => ({ ok: isHealthy, checks })
    await context.printRows({ rows, document })
    return isHealthy ? EXIT.ok : EXIT.failure
  },
})

/** An unknown profile is a finding too. */
function resolveOrReport(rows: Finding[], resolve: () => Target): Target | undefined {
  try {
    return resolve()
  } catch (error) {
    rows.push(threw('profile', error))
    return undefined
  }
}
