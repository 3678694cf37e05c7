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

/** `fish-cli doctor` */
export const doctorCommand = defineCommand({
  summary: 'Check everything that commands need, and say how to mend what is wrong.',
  description:
    'Looks at Node, the settings, where secrets are kept, the outbox, the way to the service, its version and clock, and ' +
    'your keys. It takes three requests at most, which store nothing. Ends with 1 when something fails; a warning is no failure.',
  examples: ['fish-cli doctor', 'fish-cli doctor --json --offline'],
  flags: {
    offline: Flags.boolean({ summary: 'Check only what is on this machine.' }),
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
    const chosen = selectOr(rows, () => resolveTarget({ env: context.env, config }, flags))
    if (chosen) rows.push(await checkOutbox(context, chosen))
    if (chosen && !flags.offline) rows.push(...(await checkService(context, chosen)))
    const isWell = rows.every(({ status }) => status !== 'fail')
    const document = (checks: readonly object[]) => ({ ok: isWell, checks })
    await context.printRows({ rows, document })
    return isWell ? EXIT.ok : EXIT.failure
  },
})

/** A profile that is not there is a finding too. */
function selectOr(rows: Finding[], selectNow: () => Target): Target | undefined {
  try {
    return selectNow()
  } catch (error) {
    rows.push(threw('profile', error))
    return undefined
  }
}
