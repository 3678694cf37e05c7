import { lockFolder, makeFolder } from '../../storage/file/folder.ts'
import { type DraftKind, draftIn, removeLeftovers } from './drafts.ts'
import { inDraft } from './named-paths.ts'

/** Where {@link inLockedFolder} works. */
export interface LockedFolder {
  /** The data folder, which no server has open. */
  readonly folder: string
  /** A new folder in there. What is left in it is gone afterwards. */
  readonly draft: string
}

/**
 * Makes something in a draft inside a data folder, locked for this process alone. Refused or failed, it leaves no lock
 * file and no folder that was not there before. Drafts of runs that were killed are removed first.
 * @param kind what the name of the draft begins with
 * @throws MaintenanceError, StorageError `in_use`
 */
export async function inLockedFolder<Result>(
  target: string,
  kind: DraftKind,
  work: (place: LockedFolder) => Promise<Result>,
): Promise<Result> {
  const made = makeFolder(target)
  try {
    return await inLocked(made.folder, kind, work)
  } catch (error) {
    made.undo()
    throw error
  }
}

async function inLocked<Result>(
  folder: string,
  kind: DraftKind,
  work: (place: LockedFolder) => Promise<Result>,
): Promise<Result> {
  const lock = lockFolder(folder)
  try {
    removeLeftovers(folder)
    const draft = draftIn(folder, kind)
    const result = await inDraft({ draft, shown: folder }, () => work({ folder, draft }))
    lock.close()
    return result
  } catch (error) {
    lock.undo()
    throw error
  }
}
