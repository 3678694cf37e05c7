import { EXIT } from '../../core/errors.ts'
import { defineCommand, Flags } from '../../kit/define.ts'
import { addressFlags, outputFlags, userFlag } from '../../kit/flags.ts'
import type { Session } from '../../session/session.ts'
import { resolveTarget } from '../../session/target.ts'
import type { Screen, Style } from '../../terminal/screen.ts'
import type { Column } from '../../terminal/table.ts'
import { COPYABLE } from '../../terminal/terminal.ts'
import { type Line, wrapMessage } from '../../terminal/text.ts'
import { type CheckResult, type CheckStatus, runCheck } from './check.ts'
import { checkMachine, checkOutboxes, usableConfig } from './check-machine.ts'
import { checkService } from './check-service.ts'

const STYLES: Readonly<Record<CheckStatus, Style>> = { ok: 'green', warn: 'yellow', fail: 'red' }

const COLUMNS: readonly Column<CheckResult>[] = ['check', 'status', 'result', 'fix'].map((field) => ({ field }))

export const doctorCommand = defineCommand({
  summary: 'Diagnose problems and suggest fixes.',
  description:
    'Checks this machine (Node, settings, stored secrets, game log, outbox) and the service (connection, ' +
    'version, clock, your keys). The command sends at most three requests, which store nothing. The command exits ' +
    'with 1 if a check fails. Warnings do not change the exit status.',
  examples: ['fish-cli doctor', 'fish-cli doctor --json --offline'],
  flags: {
    offline: Flags.boolean({ summary: 'Check only this machine and send no request.' }),
    ...userFlag,
    ...addressFlags,
    ...outputFlags,
  },

  async run({ session, terminal, flags }) {
    const config = usableConfig(session)
    const rows = [...(await checkMachine(session, config))]
    let own: Session | undefined
    try {
      own = session.at(resolveTarget({ env: session.env, config }, flags))
    } catch (error) {
      // An unknown profile is reported as a failed check.
      rows.push(await runCheck('profile', () => Promise.reject(error)))
    }
    if (own) {
      rows.push(...(await checkOutboxes(own)))
      if (!flags.offline) rows.push(...(await checkService(own)))
    }
    const isHealthy = rows.every(({ status }) => status !== 'fail')
    const document = { ok: isHealthy, checks: rows }
    if (flags.csv) await terminal.printRows({ rows, columns: COLUMNS, document })
    else terminal.print(document, () => reportLines(rows, terminal.screen), COPYABLE)
    return isHealthy ? EXIT.ok : EXIT.failure
  },
})

/** Wraps also in a pipe, because the report is for people, who send it to others. */
function reportLines(rows: readonly CheckResult[], screen: Screen): readonly Line[] {
  const width = screen.width ?? WIDTH
  return rows.flatMap(({ check, status, result, fix }): readonly Line[] => {
    const facts = [...result.split('\n'), ...(fix?.split('\n') ?? [])]
    const lines = facts.flatMap((fact) => wrapMessage(`  ${fact}`, { ...screen, width }).split('\n'))
    return [{ spans: [`${check}: `, { text: status, style: STYLES[status] }] }, ...lines]
  })
}

const WIDTH = 80
