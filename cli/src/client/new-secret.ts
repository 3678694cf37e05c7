import { userNameKey } from '@fish-crab/sdk/constants'
import type { ReservedFile, UnsavedSecret } from '../auth/secret-file.ts'
import { readSecrets, updateSecrets } from '../auth/secrets.ts'
import type { ProfileSecrets } from '../auth/store.ts'
import { readConfig } from '../config/config-file.ts'
import { isSameService } from '../config/profile.ts'
import { type ServiceFlags, selectService } from '../config/selection.ts'
import type { Context } from '../core/context.ts'
import { EXIT, usageError } from '../core/errors.ts'
import { printable } from '../output/text.ts'

/** A secret of a player that the profile keeps. */
export interface StoredSecret {
  /** Fails where {@link replace} would, and keeps what is kept. @throws CliError */
  check(): Promise<void>
  /** Puts a new one in its place. @throws CliError */
  replace(secret: string): Promise<void>
}

/**
 * Looks whether the profile keeps this secret of this very player, and changes nothing.
 *
 * @returns Nothing when it does not.
 * @throws CliError when what is kept cannot be read
 */
export async function findStoredSecret(
  io: Context,
  flags: ServiceFlags,
  user: string,
  field: 'fernetKey' | 'apiKey',
): Promise<StoredSecret | undefined> {
  const { profile, url } = selectService(io, flags)
  const isHere = (kept: ProfileSecrets | undefined): kept is ProfileSecrets =>
    kept?.user !== undefined &&
    userNameKey(kept.user) === userNameKey(user) &&
    isSameService(kept.url, url.value) &&
    kept[field] !== undefined
  if (!profile || !isHere(await readSecrets(io, { profile, url }))) return undefined
  const change = async (changed: Partial<ProfileSecrets>) => {
    await updateSecrets(io, readConfig(io), profile.name, (kept) => (isHere(kept) ? { ...kept, ...changed } : kept))
  }
  return { check: () => change({}), replace: (secret) => change({ [field]: secret }) }
}

/** What decides whether a secret that is about to be made is printed. */
export interface SecretOutput {
  readonly flags: {
    readonly show?: boolean | undefined
    readonly out?: string | undefined
    readonly json?: boolean | undefined
  }
  /** What it is, for people. */
  readonly title: string
  readonly file: string | undefined
  readonly kept: StoredSecret | undefined
}

/**
 * Whether a new secret is printed: where that is asked for, and on a terminal where it would be nowhere else.
 *
 * @throws CliError where nobody would know it
 */
export function printsSecret({ stdout }: Pick<Context, 'stdout'>, { flags, title, file, kept }: SecretOutput): boolean {
  if (flags.show || flags.out === '-') return true
  if (file !== undefined || kept) return false
  if (stdout.isTTY && !flags.json) return true
  throw usageError(`Nobody would know the new ${title}; nothing was changed.`, 'Add --out FILE, or --show to print it.')
}

/** A new secret that the service has just made, and where it goes. */
export interface NewSecret {
  readonly user: string
  /** What it is, for people. */
  readonly title: string
  readonly secret: string
  readonly file: ReservedFile | undefined
  /** What to tell when the file fails. */
  readonly lost: UnsavedSecret
  readonly kept: StoredSecret | undefined
  /** Whether one document is printed, which also says whether it is kept. */
  readonly isDocument: boolean
}

/** Added to a document when the secret is not kept for the profile. */
export interface NotStored {
  readonly kept?: false
}

/**
 * Hands a new secret over, into its file or with `print`, and puts it where the profile keeps the old one. The first
 * goes before the second, which a failure of the first does not prevent: the old one has ended in any case.
 *
 * @returns The exit status: that of `print`, or 7 when the secret was handed over and is not kept
 * @throws CliError `secret_not_saved`
 */
export async function deliverSecret(
  io: Context,
  { user, title, secret, file, lost, kept, isDocument }: NewSecret,
  print: (outcome: NotStored) => number | Promise<number>,
): Promise<number> {
  const keep = () => failureOf(kept?.replace(secret))
  const unsaved = await failureOf(file?.write(`${secret}\n`, lost))
  const isKeptFirst = isDocument || file !== undefined
  const early = isKeptFirst ? await keep() : undefined
  const status = unsaved ? EXIT.partly : await print(early ? { kept: false } : {})
  const failed = isKeptFirst ? early : await keep()
  if (failed) await tellNotKept(io, { user, title }, failed.error)
  if (unsaved) throw unsaved.error
  return failed ? EXIT.partly : status
}

/** Any value can be thrown, so it is told apart from none by what is around it. */
async function failureOf(deed: Promise<void> | undefined): Promise<{ readonly error: unknown } | undefined> {
  try {
    await deed
    return undefined
  } catch (error) {
    return { error }
  }
}

async function tellNotKept(io: Context, { user, title }: Pick<NewSecret, 'user' | 'title'>, error: unknown) {
  const { describeError } = await import('./describe-error.ts')
  const { message, hint } = describeError(error)
  const ended = `The old ${title} of ${printable(user)} has ended, and the new one could not be kept for the profile.`
  io.line.say(`fish-cli: ${ended} ${printable(message)}`)
  if (hint !== null) io.line.say(`  ${printable(hint)}`)
}
