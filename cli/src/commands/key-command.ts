import { checkSecretFile, reserveSecretFile, secretFilePath, type UnsavedSecret } from '../auth/secret-file.ts'
import { deliverSecret, type NotStored, type StoredSecret } from '../client/new-secret.ts'
import type { Column } from '../output/columns.ts'
import type { OutputFlags } from '../output/format.ts'
import { formatOf } from '../output/format.ts'
import { printable } from '../output/text.ts'
import { FishCommand } from '../runtime/fish-command.ts'

const SHOWN_CHARACTERS = 4

/** A key and whose it is. */
export interface PlayersKey {
  readonly user: string
  readonly fernetKey: string
}

/** Flags that say where a key goes. */
export interface HandOverFlags extends OutputFlags {
  readonly show?: boolean | undefined
  readonly out?: string | undefined
  readonly force?: boolean | undefined
}

/** Where a key comes from. */
export interface KeySource {
  get(): Promise<PlayersKey>
  /** What to tell when it came and its file could not be written. */
  unsaved(user: string): UnsavedSecret
  /** The old key, where the profile keeps it and this one takes its place. */
  readonly stored?: StoredSecret | undefined
}

interface KeyRow extends PlayersKey {
  readonly masked: boolean
}

const COLUMNS: readonly Column<KeyRow>[] = [
  { field: 'user' },
  { field: 'fernetKey', title: 'KEY', whole: true },
  { field: 'masked', hidden: true },
]

/** A command that has a key to give: into a file of its owner alone, or masked, or whole when that is asked for. */
export abstract class KeyCommand extends FishCommand {
  /** Fails where {@link handOver} would for its flags, and makes nothing. @returns the file that the key would go to */
  protected async checkHandOver(flags: HandOverFlags): Promise<string | undefined> {
    this.checkOutput(flags, COLUMNS)
    const file = secretFilePath(flags.out)
    if (file !== undefined) await checkSecretFile(file, flags.force === true)
    return file
  }

  /** Gets a key and hands it over. A file that cannot be written is found out before the key is got. */
  protected async handOver(flags: HandOverFlags, { get, unsaved, stored }: KeySource): Promise<number> {
    this.checkOutput(flags, COLUMNS)
    const file = secretFilePath(flags.out)
    const reserved = file === undefined ? undefined : await reserveSecretFile(file, flags.force === true)
    const { user, fernetKey } = await get().catch(async (error: unknown) => {
      await reserved?.discard()
      throw error
    })
    const made = { user, title: 'key', secret: fernetKey, file: reserved, unsaved: unsaved(user), stored }
    return deliverSecret(this.io, { ...made, isDocument: flags.json === true }, (outcome) => {
      if (file === undefined) return this.#printKey({ user, fernetKey }, flags, outcome)
      const done = `The key of ${printable(user)} is in ${printable(file)}.`
      return this.print(flags.json, { user, file, ...outcome }, () => done)
    })
  }

  async #printKey({ user, fernetKey }: PlayersKey, flags: HandOverFlags, outcome: NotStored): Promise<number> {
    const isShown = flags.show === true || flags.out === '-'
    const row = { user, fernetKey: isShown ? fernetKey : mask(fernetKey), masked: !isShown }
    if (isShown && formatOf(flags) === 'table' && flags.fields === undefined) {
      return this.print(false, row, () => printable(fernetKey))
    }
    if (!isShown) {
      this.note(flags.json, 'Only its beginning is shown. --out FILE saves the whole key, --show prints it.')
    }
    return this.printRows(flags, { rows: [row], columns: COLUMNS, document: ([only]) => ({ ...only, ...outcome }) })
  }
}

function mask(key: string): string {
  return `${key.slice(0, SHOWN_CHARACTERS)}${'*'.repeat(8)}`
}
