import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface ListedLog {
  readonly path: string
  readonly name: string
  /** Milliseconds since 1970. */
  readonly writtenAt: number
}

/**
 * Returns the logs in a folder, oldest first by the time of the last write. Returns an empty list if the folder cannot
 * be read.
 */
export async function listLogs(folder: string, isLog: (name: string) => boolean): Promise<readonly ListedLog[]> {
  const names = await readdir(folder).catch(() => [])
  const logs = names.filter(isLog).map(async (name) => {
    const path = join(folder, name)
    const stats = await stat(path).catch(() => undefined)
    return stats?.isFile() ? [{ path, name, writtenAt: stats.mtimeMs }] : []
  })
  return (await Promise.all(logs)).flat().sort((one, other) => one.writtenAt - other.writtenAt || byName(one, other))
}

export function byName(one: ListedLog, other: ListedLog): number {
  return one.name.localeCompare(other.name, 'en', { numeric: true })
}
