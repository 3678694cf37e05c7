import { statSync } from 'node:fs'
import { join } from 'node:path'
import { shellCommand } from '../../../../server/src/node/shell-command.ts'
import { catchesText, waitingText } from '../../core/amounts.ts'
import { describeError } from '../../core/describe-error.ts'
import { localTime } from '../../core/time.ts'
import { readManifest } from '../../package.ts'
import { fileStore } from '../../session/file-store.ts'
import { openKeyring } from '../../session/keyring.ts'
import { openLocalOutbox, unsentElsewhere } from '../../session/outbox.ts'
import { configPath } from '../../session/paths.ts'
import { type Config, EMPTY_CONFIG, readConfig } from '../../session/profiles.ts'
import type { Session } from '../../session/session.ts'
import { settingValue } from '../../session/settings.ts'
import { suggestOutbox } from '../../session/target.ts'
import { findGames, searchedLocations, usualLocations } from '../watch/locations.ts'
import { type CheckResult, fail, type Outcome, ok, runCheck, warn } from './check.ts'

/** Everything except the outbox, which depends on the profile. */
export async function checkMachine(session: Session, config: Config): Promise<readonly CheckResult[]> {
  return [
    // This check always passes, because the program does not start with an older Node.
    await runCheck('node', () => ok(`Node ${process.versions.node}; ${readManifest().engines.node} is required.`)),
    await runCheck('config', () => checkConfig(session)),
    await runCheck('secrets', () => checkSecretFile(session)),
    await runCheck('keyring', () => checkKeyring(session, config)),
    await runCheck('log', () => checkGameLog(session)),
  ]
}

const OTHERS = 0o077

export function usableConfig({ system }: Session): Config {
  try {
    return readConfig(system)
  } catch {
    return EMPTY_CONFIG
  }
}

function checkConfig({ system }: Session): Outcome {
  const path = configPath(system)
  const { profiles, current = 'none' } = readConfig(system)
  const mode = modeOf(path)
  if (mode === undefined) return ok(`No configuration file yet; its path is ${path}.`)
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
    return warn(`Others can read ${path}.`, `Run: ${shellCommand(['chmod', '600', path])}`)
  const count = profiles.size === 1 ? '1 profile' : `${profiles.size} profiles`
  return ok(`${path} has ${count}. Current profile: ${current}.`)
}

async function checkSecretFile({ system }: Session): Promise<Outcome> {
  const { title, get } = fileStore(system)
  await get('')
  return ok(modeOf(title) === undefined ? 'No secrets file.' : `Only you can read ${title}.`)
}

async function checkKeyring({ system }: Session, config: Config): Promise<Outcome> {
  const wanted = settingValue('secret-store', system.env, config.settings) ?? 'auto'
  if (wanted === 'file') return ok('The keyring is not used, because the setting secret-store is file.')
  const keyring = await openKeyring(system)
  if (keyring.available) return ok('The system keyring works.')
  const inUse = [...config.profiles].filter(([, { secrets }]) => secrets === 'keyring').map(([name]) => name)
  if (wanted === 'auto' && inUse.length === 0) return ok(`${keyring.why} Secrets are stored in a file.`)
  const fix = 'Unlock the keyring. Or store secrets in a file: fish-cli config secret-store file && fish-cli login'
  return fail(
    `${keyring.why} The keyring is needed by ${inUse.length > 0 ? `profile ${inUse.join(', ')}` : 'the setting secret-store'}.`,
    fix,
  )
}

/** A missing game log is not a problem, because the user may play on another machine. */
async function checkGameLog(session: Session): Promise<Outcome> {
  const locations = usualLocations(session)
  try {
    const games = await findGames(locations)
    const named = games.map(({ path, launcher, writtenAt }) => {
      const time = localTime(new Date(writtenAt).toISOString())
      return `${path} (${launcher}), last written ${time} (local time)`
    })
    return ok(`watch would follow ${named.join('; ')}.`)
  } catch (error) {
    const { message, hint } = describeError(error)
    const searched = (await searchedLocations(locations)).map(
      ({ launcher, folder, pattern }) => `${join(folder, pattern)} (${launcher})`,
    )
    return ok([`${message} ${hint}`, 'Searched:', ...searched].join('\n'))
  }
}

function modeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mode
}

export async function checkOutboxes(session: Session): Promise<readonly CheckResult[]> {
  const others = (await unsentElsewhere(session)).map(({ result, fix }) => ({ check: 'outbox', ...warn(result, fix) }))
  return [await runCheck('outbox', () => checkOutbox(session)), ...others]
}

async function checkOutbox(session: Session): Promise<Outcome> {
  await using outbox = await openLocalOutbox(session)
  const { pending, rejected } = (await outbox?.status()) ?? { pending: 0, rejected: 0 }
  if (rejected > 0)
    return warn(`The service rejected ${catchesText(rejected)}.`, `See why: ${suggestOutbox(session.target)}`)
  if (pending > 0) return warn(waitingText(pending), `Send them: ${suggestOutbox(session.target, '--send')}`)
  return ok('The outbox is empty.')
}
