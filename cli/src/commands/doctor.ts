import { Flags } from '@oclif/core'
import { resolveTarget, type Target } from '../config/target.ts'
import { EXIT } from '../core/errors.ts'
import type { Column } from '../output/columns.ts'
import type { Style } from '../output/screen.ts'
import { FishCommand } from '../runtime/fish-command.ts'
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
export class Doctor extends FishCommand {
  static override summary = 'Check everything that commands need, and say how to mend what is wrong.'
  static override description =
    'Looks at Node, the settings, where secrets are kept, the outbox, the way to the service, its version and clock, and ' +
    'your keys. It takes three requests at most, which store nothing. Ends with 1 when something fails; a warning is no failure.'
  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --json --offline']
  static override flags = {
    offline: Flags.boolean({ summary: 'Check only what is on this machine.' }),
    ...userFlag,
    url: serviceFlags.url,
    profile: serviceFlags.profile,
    ...outputFlags,
  }

  async run(): Promise<number> {
    const { flags } = await this.parse(Doctor)
    this.checkOutput(flags, COLUMNS)
    const { findings, config } = await checkLocally(this.io)
    const rows = [...findings]
    const chosen = selectOr(rows, () => resolveTarget({ env: this.io.env, config }, flags))
    if (chosen) rows.push(await checkOutbox(this.io, chosen))
    if (chosen && !flags.offline) rows.push(...(await checkService(this.io, chosen)))
    const isWell = rows.every(({ status }) => status !== 'fail')
    const document = (checks: readonly object[]) => ({ ok: isWell, checks })
    await this.printRows(flags, { rows, columns: COLUMNS, document })
    return isWell ? EXIT.ok : EXIT.failure
  }
}

/** A profile that is not there is a finding too. */
function selectOr(rows: Finding[], selectNow: () => Target): Target | undefined {
  try {
    return selectNow()
  } catch (error) {
    rows.push(threw('profile', error))
    return undefined
  }
}
