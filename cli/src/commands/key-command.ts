import { checkSecretFile, reserveSecretFile, secretFilePath, type UnsavedSecret } from '../auth/secret-file.ts'
import { deliverSecret, type NotStored, type StoredSecret } from '../client/new-secret.ts'
import type { Column } from '../output/columns.ts'
import { formatOf, type OutputFlags } from '../output/format.ts'
import { printable } from '../output/text.ts'
import type { CommandContext } from './define.ts'

const VISIBLE_CHARACTERS = 4

/** A key and its player. */
export interface PlayersKey {
  readonly user: string
  readonly fernetKey: string
}

/** Flags for the destination of a key. */
interface HandOverFlags extends OutputFlags {
  readonly show?: boolean | undefined
  readonly out?: string | undefined
  readonly force?: boolean | undefined
}

interface KeySource {
  get(): Promise<PlayersKey>
  /** What to report when the key was received and its file could not be written. */
  unsaved(user: string): UnsavedSecret
  /** The stored key that this one replaces. */
  readonly stored?: StoredSecret | undefined
}

interface KeyRow extends PlayersKey {
  readonly masked: boolean
}

/** Columns of a key. */
export const KEY_COLUMNS: readonly Column<KeyRow>[] = [
  { field: 'user' },
  { field: 'fernetKey', title: 'KEY', whole: true },
  { field: 'masked', hidden: true },
]

/** Checks the file that {@link handOver} would write, and creates nothing. @returns its path */
export async function checkHandOver({ flags }: CommandContext<HandOverFlags>): Promise<string | undefined> {
  const file = secretFilePath(flags.out)
  if (file !== undefined) await checkSecretFile(file, flags.force === true)
  return file
}

/** Gets a key and writes it to a file that only its owner can read, or prints it, masked by default. The file is reserved first. */
export async function handOver(
  context: CommandContext<HandOverFlags>,
  { get, unsaved, stored }: KeySource,
  show = context.flags.show,
): Promise<number> {
  const { flags } = context
  const file = secretFilePath(flags.out)
  const reserved = file === undefined ? undefined : await reserveSecretFile(file, flags.force === true)
  const { user, fernetKey } = await get().catch(async (error: unknown) => {
    await reserved?.discard()
    throw error
  })
  const delivery = { user, title: 'key', secret: fernetKey, file: reserved, unsaved: unsaved(user), stored }
  return deliverSecret(context, { ...delivery, isDocument: flags.json === true }, (outcome) => {
    if (file === undefined) {
      const isShown = show === true || flags.out === '-'
      return printKey(context, { user, fernetKey: isShown ? fernetKey : mask(fernetKey), masked: !isShown }, outcome)
    }
    const done = `The key of ${printable(user)} is in ${printable(file)}.`
    return context.print({ user, file, ...outcome }, () => done)
  })
}

function printKey(context: CommandContext<HandOverFlags>, row: KeyRow, outcome: NotStored): number | Promise<number> {
  const { flags } = context
  if (!row.masked && formatOf(flags) === 'table' && flags.fields === undefined) {
    return context.print(row, () => printable(row.fernetKey))
  }
  if (row.masked) context.note('The key is masked. To save it, add --out FILE; to print it, add --show.')
  return context.printRows({ rows: [row], columns: KEY_COLUMNS, document: ([only]) => ({ ...only, ...outcome }) })
}

function mask(key: string): string {
  return `${key.slice(0, VISIBLE_CHARACTERS)}${'*'.repeat(8)}`
}
