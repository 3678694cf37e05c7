import { userNameKey } from '@fish-crab/sdk/constants'
import type { ReservedFile, UnsavedSecret } from '../auth/secret-file.ts'
import { readSecrets, updateSecrets } from '../auth/secrets.ts'
import type { ProfileSecrets } from '../auth/store.ts'
import { isSameService } from '../config/profile.ts'
import type { Target } from '../config/target.ts'
import type { Context } from '../core/context.ts'
import { EXIT, usageError } from '../core/errors.ts'
import { printable } from '../output/text.ts'
import { describeError } from './describe-error.ts'

/** A player's secret in the store of the profile. */
export interface StoredSecret {
  /** Throws what {@link replace} would throw; changes nothing. @throws CliError */
  check(): Promise<void>
  /** @throws CliError */
  replace(secret: string): Promise<void>
}

/** Finds this secret of this player in the store of the profile. @throws CliError when the store cannot be read */
export async function findStoredSecret(
  context: Context,
  target: Target,
  user: string,
  field: 'fernetKey' | 'apiKey',
): Promise<StoredSecret | undefined> {
  const { profile, url } = target
  const isStored = (secrets: ProfileSecrets | undefined): secrets is ProfileSecrets =>
    secrets?.user !== undefined &&
    userNameKey(secrets.user) === userNameKey(user) &&
    isSameService(secrets.url, url.value) &&
    secrets[field] !== undefined
  if (!profile || !isStored(await readSecrets(context, target))) return undefined
  const update = async (changed: Partial<ProfileSecrets>) => {
    await updateSecrets(context, context.config, profile.name, (secrets) =>
      isStored(secrets) ? { ...secrets, ...changed } : secrets,
    )
  }
  return { check: () => update({}), replace: (secret) => update({ [field]: secret }) }
}

/** Where a new secret would go. */
export interface SecretOutput {
  readonly flags: {
    readonly show?: boolean | undefined
    readonly out?: string | undefined
    readonly json?: boolean | undefined
  }
  /** Its name in messages. */
  readonly title: string
  readonly file: string | undefined
  readonly stored: StoredSecret | undefined
}

/**
 * Whether a new secret is printed: on request, and on a terminal when it would go nowhere else.
 *
 * @throws CliError when it would be lost
 */
export function printsSecret(
  { stdout }: Pick<Context, 'stdout'>,
  { flags, title, file, stored }: SecretOutput,
): boolean {
  if (flags.show || flags.out === '-') return true
  if (file !== undefined || stored) return false
  if (stdout.isTTY && !flags.json) return true
  throw usageError(`The new ${title} would be lost; nothing was changed.`, 'Add --out FILE, or --show to print it.')
}

/** A secret that the service has just created, and where it goes. */
export interface NewSecret {
  readonly user: string
  /** Its name in messages. */
  readonly title: string
  readonly secret: string
  readonly file: ReservedFile | undefined
  /** The error message when the file cannot be written. */
  readonly unsaved: UnsavedSecret
  readonly stored: StoredSecret | undefined
  /** Whether one document is printed, which also says whether the secret was stored. */
  readonly isDocument: boolean
}

/** Added to a document when the secret could not be stored for the profile. */
export interface NotStored {
  readonly kept?: false
}

/**
 * Delivers a new secret to its file or with `print`, and replaces the old one in the store of the profile. If the file
 * fails, the store is still updated, since the old secret is no longer valid.
 *
 * @returns the exit status of `print`, or 7 when the secret was delivered but not stored
 * @throws CliError `secret_not_saved`
 */
export async function deliverSecret(
  context: Context,
  { user, title, secret, file, unsaved, stored, isDocument }: NewSecret,
  print: (outcome: NotStored) => number | Promise<number>,
): Promise<number> {
  const store = () => errorOf(stored?.replace(secret))
  const fileError = await errorOf(file?.write(`${secret}\n`, unsaved))
  const storesFirst = isDocument || file !== undefined
  const earlyError = storesFirst ? await store() : undefined
  const status = fileError ? EXIT.partly : await print(earlyError ? { kept: false } : {})
  const storeError = storesFirst ? earlyError : await store()
  if (storeError) reportNotStored(context, { user, title }, storeError.error)
  if (fileError) throw fileError.error
  return storeError ? EXIT.partly : status
}

// Wrapped, since any value can be thrown, `undefined` too.
async function errorOf(work: Promise<void> | undefined): Promise<{ readonly error: unknown } | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return { error }
  }
}

function reportNotStored({ line }: Context, { user, title }: Pick<NewSecret, 'user' | 'title'>, error: unknown) {
  const { message, hint } = describeError(error)
  const what = `The old ${title} of ${printable(user)} is no longer valid, and the new one was not saved in the profile.`
  line.say(`fish-cli: ${what} ${printable(message)}`)
  if (hint !== null) line.say(`  ${printable(hint)}`)
}
