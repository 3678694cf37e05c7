import { userNameKey } from '@fish-crab/sdk/constants'
import { describeError } from '../client/describe-error.ts'
import { isSameService } from '../config/profile.ts'
import { checkSecretFile, reserveSecretFile, secretFilePath, type UnsavedSecret } from '../config/secret-file.ts'
import type { ProfileSecrets } from '../config/secret-store.ts'
import { readSecrets, updateSecrets } from '../config/secrets.ts'
import type { Target } from '../config/target.ts'
import { EXIT, usageError } from '../core/errors.ts'
import { fieldLines } from '../output/rows.ts'
import { printable } from '../output/text.ts'
import type { CommandContext } from './define.ts'

type StoredSecret = Awaited<ReturnType<typeof findStoredSecret>>

/** Its `check` throws what `replace` would throw, and changes nothing. */
export async function findStoredSecret(
  context: CommandContext,
  { profile, url }: Target,
  user: string,
  field: 'fernetKey' | 'apiKey',
) {
  const isStored = (secrets: ProfileSecrets | undefined): secrets is ProfileSecrets =>
    secrets?.user !== undefined &&
    userNameKey(secrets.user) === userNameKey(user) &&
    isSameService(secrets.url, url.value) &&
    secrets[field] !== undefined
  if (!profile || !isStored(await readSecrets(context, { profile, url }))) return undefined
  const update = (changed: Partial<ProfileSecrets>) =>
    updateSecrets(context, context.config, profile.name, (secrets) =>
      isStored(secrets) ? { ...secrets, ...changed } : secrets,
    )
  return { check: () => update({}), replace: (secret: string) => update({ [field]: secret }) }
}

interface SecretFlags {
  readonly json?: boolean | undefined
  readonly show?: boolean | undefined
  readonly out?: string | undefined
  readonly force?: boolean | undefined
  readonly 'dry-run'?: boolean | undefined
}

/** Whether a new secret is printed: on request, or on a terminal when it would go nowhere else. Changes nothing. */
export async function checkDestination(
  { stdout, flags }: CommandContext<SecretFlags>,
  title: string,
  stored: StoredSecret,
): Promise<boolean> {
  const file = secretFilePath(flags.out)
  if (file !== undefined) await checkSecretFile(file, flags.force === true)
  if (flags.show || flags.out === '-') return true
  if (file !== undefined || stored || flags['dry-run']) return false
  if (stdout.isTTY && !flags.json) return true
  throw usageError(`The new ${title} would be lost; nothing was changed.`, 'Add --out FILE, or --show to print it.')
}

interface PlayerSecret {
  readonly user: string
  /** In messages. */
  readonly title: string
  /** Further fields of the output. */
  readonly about: object
  readonly field: 'fernetKey' | 'secret'
  readonly isShown: boolean
  readonly stored?: StoredSecret
  readonly unsaved: UnsavedSecret
  request(): Promise<string>
}

/** Reserves the file first. If writing fails all the same, the store is updated: the old secret is no longer valid. */
export async function outputSecret(context: CommandContext<SecretFlags>, delivery: PlayerSecret): Promise<number> {
  const { user, title, about, stored, unsaved } = delivery
  const path = secretFilePath(context.flags.out)
  await using file = path === undefined ? undefined : await reserveSecretFile(path, context.flags.force === true)
  const secret = await delivery.request()
  const [saved, replaced] = await Promise.allSettled([file?.write(`${secret}\n`, unsaved), stored?.replace(secret)])
  const isStored = replaced.status === 'fulfilled'
  const outcome = isStored ? {} : { stored: false }
  if (path === undefined) printSecret(context, delivery, secret, outcome)
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

function printSecret(
  context: CommandContext<SecretFlags>,
  { title, about, field, isShown, stored }: PlayerSecret,
  secret: string,
  outcome: object,
): void {
  const { flags } = context
  const shown = isShown ? secret : `${secret.slice(0, VISIBLE_CHARACTERS)}********`
  const row = { ...about, [field]: shown, masked: !isShown }
  if (isShown) {
    if (!flags.show && flags.out !== '-') context.note(`Save the new ${title}: it cannot be shown again.`)
  } else if (stored) context.note(`The new ${title} is stored in the profile. To print a new one, add --show.`)
  else context.note(`The ${title} is masked. To save it, add --out FILE; to print it, add --show.`)
  const columns = Object.keys(row).map((name) => ({ field: name, whole: true }))
  const text = () => (isShown ? printable(secret) : fieldLines(row, columns))
  context.print({ ...row, ...outcome }, text, { isVerbatim: true })
}
