import { defineCommand, Flags } from '../command/define.ts'
import { outputFlags, serviceFlags, userFlag } from '../command/flags.ts'
import { resolveTarget, type Target } from '../config/target.ts'
import { EXIT } from '../core/errors.ts'
import type { Column } from '../output/columns.ts'
import type { Style } from '../output/screen.ts'
import {
  type CheckResult,
  type CheckStatus,
  checkLocally,
  checkOutbox,
  checkService,
  runCheck,
  usableConfig,
} from './doctor-checks.ts'

const STYLES: Readonly<Record<CheckStatus, Style>> = { ok: 'green', warn: 'yellow', fail: 'red' }

const COLUMNS: readonly Column<CheckResult>[] = [
  { field: 'check', whole: true },
  { field: 'status', whole: true, style: (_, { status }) => STYLES[status] },
  { field: 'result', wrap: true },
  { field: 'fix', wrap: true },
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
    const rows = [...(await checkLocally(context))]
    const config = usableConfig(context)
    let target: Target | undefined
    try {
      target = resolveTarget({ env: context.env, config }, flags)
    } catch (error) {
      // An unknown profile is a finding too.
      rows.push(await runCheck('profile', () => Promise.reject(error)))
    }
    if (target) {
      const known = target
      rows.push(await runCheck('outbox', () => checkOutbox(context, known)))
      if (!flags.offline) rows.push(...(await checkService(context, known)))
    }
    const isHealthy = rows.every(({ status }) => status !== 'fail')
    await context.printRows({ rows, document: (checks) => ({ ok: isHealthy, checks }) })
    return isHealthy ? EXIT.ok : EXIT.failure
  },
})
