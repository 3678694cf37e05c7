import { statfs } from 'node:fs/promises'
import { StorageError } from '../errors.ts'

/** What a write of the largest size may take, in bytes. */
const LEAST_BYTES = 256 * 1024

/**
 * Refuses a disk with no room for a large write. The smallest write tells too little: it fits into what the log has
 * left over, where a catch does not.
 * @throws StorageError `full`
 */
export async function checkSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize >= LEAST_BYTES) return
  throw new StorageError(
    'full',
    `The disk of ${folder} is full, or as good as full. Free some space; nothing was lost.`,
  )
}
