import { LOG_NAME } from './log-name.ts'

/** A log of the game that the player has chosen. */
export interface LogUpload {
  /** A number for each folder. Logs of one folder are read together. */
  readonly folder: number
  readonly file: File
}

interface Found {
  readonly folder: string
  readonly file: File
}

/** Returns the logs among the files of an input. */
export function logsOf(files: Iterable<File>): readonly LogUpload[] {
  const found = [...files].map((file) => ({ folder: folderOf(file.webkitRelativePath), file }))
  return numbered(found)
}

/** Returns the logs among dropped files and folders, with the logs in inner folders. */
export async function logsIn(dropped: DataTransfer): Promise<readonly LogUpload[]> {
  // The entries are no longer available after the first wait.
  const entries = [...dropped.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  return numbered((await Promise.all(entries.map(filesIn))).flat())
}

async function filesIn(entry: FileSystemEntry): Promise<readonly Found[]> {
  if (isFile(entry)) {
    if (!LOG_NAME.test(entry.name)) return []
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return [{ folder: folderOf(entry.fullPath), file }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: Found[] = []
  // A reader returns at most 100 entries at once (Chromium), and none at the end.
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (entries.length === 0) return found
    found.push(...(await Promise.all(entries.map(filesIn))).flat())
  }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function numbered(found: readonly Found[]): readonly LogUpload[] {
  const logs = found.filter(({ file }) => LOG_NAME.test(file.name))
  const folders = [...new Set(logs.map(({ folder }) => folder))]
  return logs.map(({ folder, file }) => ({ folder: folders.indexOf(folder), file }))
}
