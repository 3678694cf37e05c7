import { statSync } from 'node:fs'
import { fileStore } from '../auth/file-store.ts'
import { type KeyringIo, openKeyring } from '../auth/keyring.ts'
import { type ConfigDocument, EMPTY_CONFIG, readConfig, tryConfigChange } from '../config/config-file.ts'
import { isAbsent } from '../config/files.ts'
import { configPath } from '../config/paths.ts'
import { settingValue } from '../config/settings.ts'
import { readManifest } from '../package.ts'
import { type Finding, fail, ok, threw, warn } from './finding.ts'
import { nodeFinding } from './versions.ts'

const OTHERS = 0o077

/** What can be checked without a service. */
export interface LocalChecks {
  readonly findings: readonly Finding[]
  /** The configuration; an empty one when it cannot be used. */
  readonly config: ConfigDocument
}

/** Checks Node, the configuration, the file of secrets and the keyring. */
export async function checkLocally(io: KeyringIo): Promise<LocalChecks> {
  const { engines } = readManifest()
  const { config, finding } = checkConfig(io)
  return {
    findings: [
      nodeFinding(process.versions.node, engines.node),
      finding,
      await checkSecretFile(io),
      await checkKeyring(io, config),
    ],
    config,
  }
}

function checkConfig(io: KeyringIo): { readonly config: ConfigDocument; readonly finding: Finding } {
  const path = configPath(io)
  try {
    const config = readConfig(io)
    tryConfigChange(io, (current) => current)
    const mode = modeOf(path)
    if (mode === undefined) return { config, finding: ok('config', `There is none yet; it would be ${path}.`) }
    const isPrivate = process.platform === 'win32' || (mode & OTHERS) === 0
    const profiles = config.profiles.size === 1 ? '1 profile' : `${config.profiles.size} profiles`
    const found = `${path}: ${profiles}, ${config.current ?? 'none'} is the current one.`
    const finding = isPrivate ? ok('config', found) : warn('config', `Others can read ${path}.`, `chmod 600 ${path}`)
    return { config, finding }
  } catch (error) {
    return { config: EMPTY_CONFIG, finding: threw('config', error) }
  }
}

async function checkSecretFile(io: KeyringIo): Promise<Finding> {
  const { title, get } = fileStore(io)
  try {
    await get('')
    const mode = modeOf(title)
    return ok('secrets', mode === undefined ? 'No file holds secrets.' : `${title} can be read by you alone.`)
  } catch (error) {
    return threw('secrets', error)
  }
}

async function checkKeyring(io: KeyringIo, config: ConfigDocument): Promise<Finding> {
  try {
    const wanted = settingValue('secret-store', io.env, config.settings) ?? 'auto'
    if (wanted === 'file') return ok('keyring', 'It is not used: secret-store is file.')
    const keyring = await openKeyring(io)
    if (keyring.available) return ok('keyring', 'The keyring of the system answers.')
    const inUse = [...config.profiles].filter(([, { secrets }]) => secrets === 'keyring').map(([name]) => name)
    if (wanted === 'auto' && inUse.length === 0) return ok('keyring', `${keyring.why} Secrets go to a file.`)
    const mend = 'Start the keyring and unlock it, or: fish-cli config set secret-store file, then fish-cli login USER'
    return fail('keyring', `${keyring.why} It is needed${inUse.length > 0 ? ` by ${inUse.join(', ')}` : ''}.`, mend)
  } catch (error) {
    return threw('keyring', error)
  }
}

function modeOf(path: string): number | undefined {
  try {
    return statSync(path).mode
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}
