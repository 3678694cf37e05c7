import type { Bookmark } from '../bookmark.ts'

/** Whether a bookmark is another than its next value is to follow. */
export function hasMoved({ expected }: Bookmark, value: string | undefined): boolean {
  return expected !== undefined && expected !== (value ?? null)
}
