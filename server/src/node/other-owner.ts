import { execFileSync } from 'node:child_process'
import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** The user who owns a folder in which root must not work. */
export interface OtherOwner {
  /** The problem, as a clause: the folder and its owner. */
  readonly problem: string
  /** The beginning of a command that runs as the owner. */
  readonly runAs: readonly string[]
}

/**
 * Returns the other user who owns a folder on the way to a path, if this process runs as root. That user could link the
 * folder to any file of root, and could not change the files that root creates there.
 * @param path an absolute path
 */
export function otherOwnerOf(path: string): OtherOwner | undefined {
  if (process.geteuid?.() !== 0) return undefined
  const named = foldersTo(path)
  const real = named.slice(0, 1).flatMap(({ folder }) => foldersTo(realpathSync(folder)))
  const other = [...named, ...real].find(({ uid }) => uid !== 0)
  if (other === undefined) return undefined
  const { folder, uid, gid } = other
  const name = userName(uid)
  const runAs =
    name === undefined
      ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--']
      : ['runuser', '-u', name, '--']
  return { problem: `${folder} belongs to ${name ?? `user ${uid}`}`, runAs }
}

interface Owned {
  readonly folder: string
  readonly uid: number
  readonly gid: number
}

/**
 * The existing folders at and above a path, nearest first. The owner of a folder can replace everything in the folder
 * by a link.
 */
function foldersTo(path: string): readonly Owned[] {
  const parent = dirname(path)
  const above = parent === path ? [] : foldersTo(parent)
  try {
    const stat = statSync(path)
    return stat.isDirectory() ? [{ folder: path, uid: stat.uid, gid: stat.gid }, ...above] : above
  } catch {
    // Using the path reports the reason why it cannot be reached.
    return above
  }
}

function userName(uid: number): string | undefined {
  try {
    return execFileSync('id', ['-nu', '--', String(uid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}
