import { StorageError } from '../errors.ts'
import type { Connection } from './connection.ts'
import { SCHEMA_KEY } from './keys.ts'

/** Version of the layout that this code reads and writes. */
const SCHEMA_VERSION = 1

type Reach = Pick<Connection, 'client' | 'run'>

/**
 * Marks an empty Redis as one of this layout, and refuses one of a later layout, whose data this code could damage.
 *
 * @throws {StorageError} `newer_schema`, `not_a_store`
 */
export async function claimSchema({ client, run }: Reach): Promise<void> {
  const found = await run(async () => {
    const version = await client.get(SCHEMA_KEY)
    if (version !== null) return version
    // Another process may have been faster, with another version.
    await client.set(SCHEMA_KEY, SCHEMA_VERSION, 'NX')
    return client.get(SCHEMA_KEY)
  })
  refuseOther(found)
}

/** Refuses what {@link claimSchema} refuses, and writes nothing. */
export async function checkSchema({ client, run }: Reach): Promise<void> {
  const found = await run(() => client.get(SCHEMA_KEY))
  if (found !== null) refuseOther(found)
}

function refuseOther(found: string | null): void {
  const version = Number(found)
  if (version === SCHEMA_VERSION) return
  if (Number.isSafeInteger(version) && version > SCHEMA_VERSION) {
    throw new StorageError(
      'newer_schema',
      `The data in Redis was written by a newer version of the service (schema ${version}, this one knows ${SCHEMA_VERSION}). Update the service; the data was not changed.`,
    )
  }
  throw new StorageError('not_a_store', 'The key fish:schema in Redis holds something else. Use another database.')
}
