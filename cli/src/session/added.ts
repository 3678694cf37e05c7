import { appendFileSync, statSync } from 'node:fs'
import { userNameKey } from '@fish-crab/sdk/constants'
import { parseJsonText } from '../core/parse-values.ts'
import { makeFolderOf, readTextFile, replaceFile } from './files.ts'
import { withLock } from './lock.ts'
import type { Session } from './session.ts'

/** A record that this machine added, for `undo`. */
export interface AddedRecord {
  readonly id: string
  readonly user: string
  readonly kind: 'fish' | 'crab'
  readonly gamemode: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** All records that one command added have the same `run`, because they are undone together. */
  readonly run: string
}

/** Maximum size of the list. A record takes about 200 bytes. If the list is larger, the older half is removed. */
const MAX_BYTES = 2 * 1024 * 1024

/** The list of records that were added to a service is stored next to the outbox for this service. */
function pathBeside(outbox: string): string {
  return outbox.replace(/\.db$/, '-added.jsonl')
}

function read(path: string): readonly AddedRecord[] {
  return (readTextFile(path) ?? '').split('\n').flatMap((line) => {
    const added = parseJsonText(line) as AddedRecord | undefined
    return typeof added?.id === 'string' && typeof added.user === 'string' ? [added] : []
  })
}

const textOf = (added: readonly AddedRecord[]) => added.map((one) => `${JSON.stringify(one)}\n`).join('')

/**
 * Remembers a record that the service has stored. Errors are ignored, because only `undo` needs the list.
 */
export async function rememberAdded(session: Session, added: AddedRecord): Promise<void> {
  const path = pathBeside(session.outboxPath)
  await withLock(session, () => {
    makeFolderOf(path)
    appendFileSync(path, textOf([added]), { mode: 0o600 })
    if (statSync(path).size <= MAX_BYTES) return
    const all = read(path)
    replaceFile(path, textOf(all.slice(Math.ceil(all.length / 2))))
  }).catch(() => {})
}

/** Removes records from the list, for example after `undo`. */
export async function forgetAdded(session: Session, ids: ReadonlySet<string>): Promise<void> {
  const path = pathBeside(session.outboxPath)
  await withLock(session, () => {
    const all = read(path)
    const remaining = all.filter(({ id }) => !ids.has(id))
    if (remaining.length < all.length) replaceFile(path, textOf(remaining))
  })
}

/** The records that a player's last command on this machine added, oldest first. */
export function lastAdded({ outboxPath }: Session, user: string): readonly AddedRecord[] {
  const own = read(pathBeside(outboxPath)).filter((one) => userNameKey(one.user) === userNameKey(user))
  const last = own.at(-1)
  const byId = new Map(own.filter(({ run }) => run === last?.run).map((one) => [one.id, one]))
  return [...byId.values()]
}
