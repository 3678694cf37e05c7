import { catchPages } from '../client/catch-list.ts'
import { openClient } from '../client/client.ts'
import type { Target } from '../config/target.ts'
import type { Context } from '../core/context.ts'
import type { NamedRecords } from './read-file.ts'

/**
 * Returns the ids in a file that belong to stored records. Adding the catches of these records would store the catches
 * twice. Each collection is read once.
 */
export async function storedIds(
  context: Context,
  target: Target,
  {
    user,
    named,
    signal,
  }: { readonly user: string; readonly named: readonly NamedRecords[]; readonly signal: AbortSignal },
): Promise<ReadonlySet<string>> {
  const stored = new Set<string>()
  if (named.length === 0) return stored
  const client = await openClient(context, target, { user })
  for (const { kind, gamemode, ids } of named) {
    const options = { user, gamemode, detail: 'full', signal } as const
    for await (const { catches } of catchPages(client, kind, options)) {
      for (const { id } of catches) if (id !== undefined && ids.has(id)) stored.add(id)
    }
  }
  return stored
}
