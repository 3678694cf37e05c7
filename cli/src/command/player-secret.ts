import { userNameKey } from '@fish-crab/sdk/constants'
import { checkSecretFile, reserveSecretFile, secretFilePath, type UnsavedSecret } from '../auth/secret-file.ts'
import { readSecrets, updateSecrets } from '../auth/secrets.ts'
import type { ProfileSecrets } from '../auth/store.ts'
import { describeError } from '../client/describe-error.ts'
import { isSameService } from '../config/profile.ts'
import type { Target } from '../config/target.ts'
import { EXIT, usageError } from '../core/errors.ts'
import { formatOf, type OutputFlags } from '../core/format.ts'
import { printable } from '../output/text.ts'
import type { CommandContext } from './define.ts'

/** A player's secret in the store of the profile. */
export interface StoredSecret {
  /** Throws what {@link replace} would throw; changes nothing. @throws CliError */
  check(): Promise<void>
  /** @throws CliError */
  replace(secret: string): Promise<void>
}

/** Finds this secret of this player in the store of the profile. @throws CliError when the store cannot be read */
export async function findStoredSecret(
  context: CommandContext,
  { profile, url }: Target,
  user: string,
  field: 'fernetKey' | 'apiKey',
): Promise<StoredSecret | undefined> {
  const isStored = (secrets: ProfileSecrets | undefined): secrets is ProfileSecrets =>
    secrets?.user !== undefined &&
    userNameKey(secrets.user) === userNameKey(user) &&
    isSameService(secrets.url, url.value) &&
    secrets[field] !== undefined
  if (!profile || !isStored(await readSecrets(context, { profile, url }))) return undefined
  const update = async (changed: Partial<ProfileSecrets>) => {
    await updateSecrets(context, context.config, profile.name, (secrets) =>
      isStored(secrets) ? { ...secrets, ...changed } : secrets,
    )
  }
  return { check: () => update({}), replace: (secret) => update({ [field]: secret }) }
}

interface SecretFlags extends OutputFlags {
  readonly show?: boolean | undefined
  readonly out?: string | undefined
  readonly force?: boolean | undefined
  readonly 'dry-run'?: boolean | undefined
}

/**
 * Checks where a new secret would go, and changes nothing.
 *
 * @param title Its name in messages.
 * @returns whether it is printed: on request, and on a terminal when it would go nowhere else
 * @throws CliError when its file cannot be created, or it would be lost
 */
export async function checkDestination(
  { stdout, flags }: CommandContext<SecretFlags>,
  title: string,
  stored: StoredSecret | undefined,
): Promise<boolean> {
  const file = secretFilePath(flags.out)
  if (file !== undefined) await checkSecretFile(file, flags.force === true)
  if (flags.show || flags.out === '-') return true
  if (file !== undefined || stored || flags['dry-run']) return false
  if (stdout.isTTY && !flags.json) return true
  throw usageError(`The new ${title} would be lost; nothing was changed.`, 'Add --out FILE, or --show to print it.')
}

/** A secret that the service returns, and where it goes. */
interface PlayerSecret {
  readonly user: string
  /** Its name in messages. */
  readonly title: string
  /** Further fields of the output, and the name of the secret's own field. */
  readonly about: object
  readonly field: 'fernetKey' | 'secret'
  /** Whether it is printed whole. */
  readonly isShown: boolean
  /** The stored secret that it replaces. */
  readonly stored?: StoredSecret | undefined
  /** The error message when it was received and its file cannot be written. */
  readonly unsaved: UnsavedSecret
  request(): Promise<string>
}

/**
 * Requests a secret and writes it to a file that only its owner can read, or prints it. The file is reserved first. If it
 * fails all the same, the store is still updated, since the old secret is no longer valid.
 *
 * @returns the exit status: 7 when the secret was delivered but not stored
 * @throws CliError `secret_not_saved`
 */
export async function outputSecret(context: CommandContext<SecretFlags>, delivery: PlayerSecret): Promise<number> {
  const { user, title, about, stored, unsaved } = delivery
  const path = secretFilePath(context.flags.out)
  const file = path === undefined ? undefined : await reserveSecretFile(path, context.flags.force === true)
  const secret = await delivery.request().catch(async (error: unknown) => {
    await file?.discard()
    throw error
  })
  const [saved, replaced] = await Promise.allSettled([file?.write(`${secret}\n`, unsaved), stored?.replace(secret)])
  const isStored = replaced.status === 'fulfilled'
  const outcome = isStored ? {} : { stored: false }
  if (path === undefined) await printSecret(context, delivery, secret, outcome)
  else if (saved.status === 'fulfilled') {
    const done = `The ${title} of ${printable(user)} is in ${printable(path)}.`
    context.print({ ...about, file: path, ...outcome }, () => done)
  }
  if (!isStored) {
    const { message, hint } = describeError(replaced.reason)
    const what = `The old ${title} of ${printable(user)} is no longer valid, and the new one was not saved in the profile.`
    context.line.say(`fish-cli: ${what} ${printable(message)}`)
    if (hint !== null) context.line.say(`  ${printable(hint)}`)
  }
  if (saved.status === 'rejected') throw saved.reason
  return isStored ? EXIT.ok : EXIT.partly
}

const VISIBLE_CHARACTERS = 4

async function printSecret(
  context: CommandContext<SecretFlags>,
  { title, about, field, isShown, stored }: PlayerSecret,
  secret: string,
  outcome: object,
): Promise<void> {
  const { flags } = context
  const shown = isShown ? secret : `${secret.slice(0, VISIBLE_CHARACTERS)}********`
  const row = { ...about, [field]: shown, masked: !isShown }
  if (isShown) {
    if (!flags.show && flags.out !== '-') context.note(`Save the new ${title}: it cannot be shown again.`)
    if (formatOf(flags) === 'table' && flags.fields === undefined) {
      context.print(row, () => printable(secret), { isVerbatim: true })
      return
    }
  } else if (stored) context.note(`The new ${title} is stored in the profile. To print a new one, add --show.`)
  else context.note(`The ${title} is masked. To save it, add --out FILE; to print it, add --show.`)
  await context.printRows({ rows: [row], document: ([only]) => ({ ...only, ...outcome }) })
}
