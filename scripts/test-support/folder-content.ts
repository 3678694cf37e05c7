import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Lists everything below a folder by path. For each file, includes the mode and a digest of the content. */
export function folderContent(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .map((entry): [string, string] => {
        const path = join(entry.parentPath, entry.name)
        if (!entry.isFile()) return [path, 'folder or link']
        const digest = createHash('sha256').update(readFileSync(path)).digest('hex')
        return [path, `${lstatSync(path).mode.toString(8)} ${digest}`]
      })
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
}
