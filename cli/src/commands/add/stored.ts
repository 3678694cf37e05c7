import type { Session } from '../../session/session.ts'
import { catchPages } from '../list/catch-list.ts'
import type { NamedRecords } from './read-file.ts'

/**
 * Returns the ids in a file that belong to stored records. Adding the catches of these records would store the catches
 * twice. Each collection is read once.
 */
export async function storedIds(
  session: Session,
  user: string,
  named: readonly NamedRecords[],
): Promise<ReadonlySet<string>> {
  const stored = new Set<string>()
  if (named.length === 0) return stored
  const client = await session.client({ user })
  for (const { kind, gamemode, ids } of named) {
    const options = { user, gamemode, detail: 'full', signal: session.signal } as const
    for await (const { catches } of catchPages(client, kind, options)) {
      for (const { id } of catches) if (id !== undefined && ids.has(id)) stored.add(id)
    }
  }
  return stored
}
