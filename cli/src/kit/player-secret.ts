import { checkSecretFile, reserveSecretFile, secretFilePath, type UnsavedSecret } from '../config/secret-file.ts'
import { usageError } from '../core/errors.ts'
import { fieldLines } from '../output/rows.ts'
import { printable } from '../output/text.ts'
import type { CommandContext } from './define.ts'

interface SecretFlags {
  readonly json?: boolean | undefined
  readonly show?: boolean | undefined
  readonly out?: string | undefined
  readonly force?: boolean | undefined
}

/**
 * Returns whether to print a new secret. The secret is printed if the flags request the output, or if stdout is a
 * terminal and the flags select neither a file nor JSON. Changes nothing.
 */
export async function checkDestination(
  { stdout, flags }: CommandContext<SecretFlags>,
  title: string,
): Promise<boolean> {
  const file = secretFilePath(flags.out)
  if (file !== undefined) await checkSecretFile(file, flags.force === true)
  if (flags.show || flags.out === '-') return true
  if (file !== undefined) return false
  if (stdout.isTTY && !flags.json) return true
  throw usageError(`The new ${title} would be lost; nothing was changed.`, 'Add --out FILE, or --show to print it.')
}

interface PlayerSecret {
  readonly user: string
  /** The name of the secret in messages. */
  readonly title: string
  /** Additional fields of the output. */
  readonly about: object
  readonly field: 'fernetKey' | 'secret'
  readonly isShown: boolean
  readonly unsaved: UnsavedSecret
  request(): Promise<string>
}

/** Requests a secret and outputs the secret. The file is reserved before the request. */
export async function outputSecret(context: CommandContext<SecretFlags>, delivery: PlayerSecret): Promise<number> {
  const { user, title, about, unsaved } = delivery
  const path = secretFilePath(context.flags.out)
  await using file = path === undefined ? undefined : await reserveSecretFile(path, context.flags.force === true)
  const secret = await delivery.request()
  if (path === undefined) return printSecret(context, delivery, secret)
  await file?.write(`${secret}\n`, unsaved)
  return context.print({ ...about, file: path }, () => `The ${title} of ${printable(user)} is in ${printable(path)}.`)
}

const VISIBLE_CHARACTERS = 4

function printSecret(
  context: CommandContext<SecretFlags>,
  { title, about, field, isShown }: PlayerSecret,
  secret: string,
): number {
  const { flags } = context
  const shown = isShown ? secret : `${secret.slice(0, VISIBLE_CHARACTERS)}********`
  const row = { ...about, [field]: shown, masked: !isShown }
  if (isShown) {
    if (!flags.show && flags.out !== '-') context.note(`Save the new ${title}: it cannot be shown again.`)
  } else context.note(`The ${title} is masked. To save it, add --out FILE; to print it, add --show.`)
  const columns = Object.keys(row).map((name) => ({ field: name, whole: true }))
  const text = () => (isShown ? printable(secret) : fieldLines(row, columns))
  return context.print(row, text, { isVerbatim: true })
}
