import type { CheckInfo } from '@fish-crab/mocks/conformance'
import { isUserName, LIMITS, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { EXIT, usageError } from '../../core/errors.ts'
import { parseOrigin, parseServiceUrl, parseWholeNumber } from '../../core/parse-values.ts'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { adminFlag, profileFlag } from '../../kit/flags.ts'
import type { Column } from '../../terminal/table.ts'
import { COPYABLE, type Terminal } from '../../terminal/terminal.ts'
import { accountOf, checkNames, runChecks, selectChecks } from './conformance-checks.ts'

export const conformanceCommand = defineCommand({
  summary: 'Check that a service conforms to the API.',
  description: [
    'Creates players and administrators for the checks, and removes these accounts at the end. Other data is not ' +
      'changed. The checks use up the rate limit of this client and cause a few failed logins.',
    'The administrator must be a superadmin, with the password in FISH_ADMIN_PASSWORD or ' +
      'FISH_ADMIN_PASSWORD_FILE. Checks that cannot run are skipped, and the report gives the reason. ' +
      'FISH_MASTER_API_KEY (or _FILE) and --allowed-origin enable more checks.',
    'Without the account of an administrator, pass --user NAME to check the public endpoints as the player NAME. ' +
      'The command uses the credentials that `fish-cli login` stored, or FISH_KEY, FISH_API_KEY and FISH_PASSWORD. ' +
      'The catches that the checks add stay in the collections of the player.',
    'The command exits with 1 if a check fails, and with another status if the run cannot start. The command ' +
      'ignores proxies, because a proxy may change responses.',
  ].join('\n\n'),
  examples: [
    'fish-cli conformance http://127.0.0.1:8787',
    {
      description: 'Print TAP for a CI job, and wait long enough to run all checks of the rate limit:',
      command: 'fish-cli conformance --tap --max-wait 300',
    },
    {
      description: 'Check a mock, which has no metrics and no API reference:',
      command: 'fish-cli conformance --skip operations-metrics --skip operations-docs',
    },
    {
      description: 'Run all checks of one section, and one other check:',
      command: 'fish-cli conformance --only writes --only limit-is-exact',
    },
    {
      description: 'Check as a player, without an administrator:',
      command: 'fish-cli conformance https://fish.example.org --user Tester',
    },
    { description: 'List all checks:', command: 'fish-cli conformance --dry-run' },
  ],
  args: { url: Args.string({ description: 'address of the service (FISH_URL)' }) },
  flags: {
    ...adminFlag,
    ...profileFlag,
    user: Flags.string({
      summary:
        'Act as this player instead of an administrator. The added catches stay in the collections of the player.',
      helpValue: 'USER',
      exclusive: ['admin'],
    }),
    tap: Flags.boolean({
      summary: 'Print TAP, for a test runner.',
      exclusive: ['json', 'dry-run'],
    }),
    only: Flags.string({
      summary: 'Run only this check or section; repeatable.',
      helpValue: 'ID',
      multiple: true,
      multipleNonGreedy: true,
    }),
    skip: Flags.string({
      summary: 'Skip this check or section; repeatable.',
      helpValue: 'ID',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'allowed-origin': Flags.string({ summary: 'An origin that the service allows.', helpValue: 'ORIGIN' }),
    'rate-limit': Flags.string({
      summary: `Requests that the service allows per client and window (default ${LIMITS.requests}).`,
      helpValue: 'N',
    }),
    'rate-window': Flags.string({
      summary: `Length of the window in seconds (default ${LIMITS.windowSeconds}).`,
      helpValue: 'SECONDS',
    }),
    'max-wait': Flags.string({
      summary: 'Maximum seconds to wait for a new rate-limit window (default 0).',
      helpValue: 'SECONDS',
    }),
    'dry-run': Flags.boolean({ summary: 'List the checks that would run, and send no request.' }),
  },
  completion: { only: checkNames, skip: checkNames },

  async run({ session, terminal, args, flags }) {
    // The target is resolved again with the URL argument, because the secrets of a profile are sent only to the service
    // of the profile.
    const own = session.withFlags({ ...flags, url: args.url })
    const baseUrl = parseServiceUrl(own.url)
    const rateLimit = {
      requests: parseWholeNumber('--rate-limit', flags['rate-limit'] ?? String(LIMITS.requests), 1),
      windowMs: parseWholeNumber('--rate-window', flags['rate-window'] ?? String(LIMITS.windowSeconds), 1) * 1000,
    }
    const maxWaitMs = parseWholeNumber('--max-wait', flags['max-wait'] ?? '0', 0) * 1000
    const { 'allowed-origin': allowedOrigin } = flags
    const selected = await selectChecks(flags)
    if (flags.user !== undefined && !isUserName(flags.user)) throw usageError(`--user must be ${USER_NAME_RULE}.`)
    if (allowedOrigin !== undefined) parseOrigin('--allowed-origin', allowedOrigin)
    if (flags['dry-run']) return printChecks(terminal, selected.checks, baseUrl)
    const masterApiKey = await session.secretFromEnv('FISH_MASTER_API_KEY')
    const results = await runChecks(session, {
      baseUrl,
      ...(await accountOf(own, flags.user)),
      rateLimit,
      maxWaitMs,
      signal: session.signal,
      ...(masterApiKey === undefined ? {} : { masterApiKey }),
      ...(allowedOrigin === undefined ? {} : { allowedOrigin }),
      ...selected.selection,
    })
    const { tableReport, tapReport } = await import('@fish-crab/mocks/conformance')
    const report = flags.tap ? tapReport : tableReport
    terminal.print(results, () => report(results).split('\n'), COPYABLE)
    return results.failed === 0 ? EXIT.ok : EXIT.failure
  },
})

const CHECK_COLUMNS: readonly Column[] = [
  { field: 'id', whole: true },
  { field: 'section' },
  { field: 'title', wrap: true },
]

function printChecks(terminal: Terminal, checks: readonly CheckInfo[], url: string): Promise<number> {
  return terminal.printRows({ rows: checks, columns: CHECK_COLUMNS, document: { dryRun: true, url, checks } })
}
