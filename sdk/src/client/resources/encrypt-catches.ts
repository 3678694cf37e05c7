import type { Gamemode } from '../../contract/gamemodes.ts'
import type { Kind } from '../../contract/kinds.ts'
import { LIMITS } from '../../contract/limits.ts'
import { type Issue, ValidationError } from '../../errors/fish-crab-error.ts'
import type { Fernet } from '../../fernet/index.ts'
import { type CrabInput, type FishInput, type PayloadEntry, readEntries } from '../entries.ts'
import type { Settings } from '../options.ts'
import { readTarget, type Target } from '../targets.ts'
import { type OptionNames, requireOptions, unknownOptions } from '../unknown-options.ts'

/**
 * Catches as one encrypted token, ready to be sent. Plain data without secrets: it can be kept on disk and sent later,
 * or again, by another process. The service stores it once.
 */
export interface EncryptedCatches {
  readonly kind: Kind
  readonly user: string
  readonly gamemode: Gamemode
  /** The Fernet token, base64url. */
  readonly token: string
}

/** What encrypting needs. */
export interface EncryptContext {
  readonly kind: Kind
  readonly settings: Settings
  readonly fernet: () => Promise<Fernet>
}

/** Catches that were checked and are not encrypted yet. */
export interface CheckedCatches {
  readonly kind: Kind
  readonly user: string
  readonly gamemode: Gamemode
  readonly entries: readonly PayloadEntry[]
}

const TARGET: OptionNames<Target> = { user: true, gamemode: true }

/** Brings catches into the service's form. @throws ValidationError that names everything that is wrong */
export function checkCatches(
  { kind, settings }: EncryptContext,
  entries: readonly (FishInput | CrabInput)[],
  target: Target,
): CheckedCatches {
  requireOptions(target, TARGET)
  const issues: Issue[] = unknownOptions(target, TARGET)
  const { user, gamemode } = readTarget(target, settings, issues)
  const checked = readEntries(entries, kind, issues)
  if (settings.fernetKey === undefined) {
    const message = "Needed to add catches: give createClient the option fernetKey, the user's key (see keys.get)."
    issues.push({ path: 'fernetKey', message })
  }
  if (issues.length > 0) throw new ValidationError(issues)
  // What is no gamemode is an issue, and ended above.
  return { kind, user, gamemode: gamemode as Gamemode, entries: checked }
}

/** Encrypts checked catches. @throws ValidationError when they are too many bytes for one request; FernetError */
export async function encryptCatches(
  { fernet }: EncryptContext,
  { kind, user, gamemode, entries }: CheckedCatches,
): Promise<EncryptedCatches> {
  const token = await (await fernet()).encrypt(JSON.stringify({ user, gamemode, [kind]: entries }))
  if (token.length > LIMITS.bodyBytes) {
    const message = `Encrypted, these entries are over ${LIMITS.bodyBytes} bytes. Give fewer entries a call.`
    throw new ValidationError([{ path: kind, message }])
  }
  return { kind, user, gamemode, token }
}
