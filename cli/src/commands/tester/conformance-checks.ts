import type {
  CheckResult,
  ConformanceOptions,
  ConformanceReport,
  ConformanceStartCode,
  ConformanceStartError,
  ConformanceUser,
} from '@fish-crab/mocks/conformance'
import { ERROR_CODES } from '@fish-crab/sdk/constants'
import { createFernet } from '@fish-crab/sdk/fernet'
import { TRY_LATER } from '../../core/describe-error.ts'
import { CliError, EXIT, type ExitStatus, usageError } from '../../core/errors.ts'
import { localTime } from '../../core/time.ts'
import type { Values } from '../../kit/define.ts'
import { readAdminCredentials } from '../../session/admin.ts'
import { readApiKey } from '../../session/client.ts'
import { readPlayerKey } from '../../session/credentials.ts'
import type { Session } from '../../session/session.ts'

const PART = 'conformance'

export async function selectChecks({ only, skip }: Partial<Record<'only' | 'skip', readonly string[] | undefined>>) {
  const { listChecks, SECTIONS } = await import('@fish-crab/mocks/conformance')
  const sections = Object.keys(SECTIONS)
  const known = [...sections, ...listChecks().map(({ id }) => id)]
  const unknown = [...(only ?? []), ...(skip ?? [])].find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const hint = `Sections: ${sections.join(', ')}. To list the checks: fish-cli conformance --dry-run`
    throw usageError(`Unknown check or section "${unknown}".`, hint)
  }
  const selection = { ...(only && { only }), ...(skip && { skip }) }
  const checks = listChecks(selection)
  if (checks.length === 0) throw usageError('--only and --skip leave no check to run.')
  return { selection, checks }
}

export async function checkNames(): Promise<Values> {
  const { listChecks, SECTIONS } = await import('@fish-crab/mocks/conformance')
  const sections = Object.entries(SECTIONS).map(([value, description]) => ({ value, description }))
  return { words: [...sections, ...listChecks().map(({ id, title }) => ({ value: id, description: title }))] }
}

/** The account that the checks use: the player with this name, or an administrator. */
export async function accountOf(session: Session, user: string | undefined) {
  if (user === undefined) return { admin: await readAdminCredentials(session) }
  return { user: await playerNamed(session, user) }
}

async function playerNamed(session: Session, name: string): Promise<ConformanceUser> {
  const fernetKey = await readPlayerKey(session, name)
  // Throws if the key is malformed.
  createFernet(fernetKey)
  const apiKey = await readApiKey(session)
  const password = await session.secretFromEnv('FISH_PASSWORD')
  return { name, fernetKey, ...(apiKey !== undefined && { apiKey }), ...(password !== undefined && { password }) }
}

export async function runChecks({ clock, terminal }: Session, options: ConformanceOptions): Promise<ConformanceReport> {
  const { runConformance, ConformanceStartError } = await import('@fish-crab/mocks/conformance')
  const onResult = ({ id, outcome, expected = '', actual = '' }: CheckResult) => {
    terminal.setStatus(PART, id)
    if (outcome === 'failed') terminal.note(`failed: ${id}: expected ${expected}, but got ${actual}`)
  }
  try {
    return await runConformance({ ...options, onResult })
  } catch (error) {
    throw error instanceof ConformanceStartError ? startError(error, clock.now()) : error
  } finally {
    terminal.setStatus(PART, undefined)
  }
}

const START_ERRORS: Readonly<Record<ConformanceStartCode, { readonly exit: ExitStatus; readonly hint: string }>> = {
  unreachable: {
    exit: EXIT.unreachable,
    hint: 'Check that the service is running and that URL (or FISH_URL) is right.',
  },
  invalid_credentials: { exit: EXIT.credentials, hint: 'Check --admin and FISH_ADMIN_PASSWORD.' },
  rate_limited: { exit: EXIT.rateLimited, hint: 'Try again in five minutes.' },
  unexpected_response: {
    exit: EXIT.failure,
    hint: 'Check that URL (or FISH_URL) is the address of a Fish and Crab Collection Service.',
  },
}

function startError({ code, message, status, retryAfterMs }: ConformanceStartError, now: number): CliError {
  if (status === ERROR_CODES.unavailable.status) {
    return new CliError({ code: 'unavailable', message, hint: TRY_LATER, exit: EXIT.unreachable })
  }
  const { exit, hint } = START_ERRORS[code]
  if (retryAfterMs === undefined) return new CliError({ code, message, hint, exit })
  const retryAt = new Date(now + retryAfterMs).toISOString()
  return new CliError({ code, message, hint: `Try again at ${localTime(retryAt)} (local time).`, exit, retryAt })
}
