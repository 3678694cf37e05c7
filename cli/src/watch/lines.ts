/** A line of a log, and where it stands. */
export interface LogLine {
  readonly text: string
  /** Bytes from the beginning of the file to that of the line. */
  readonly start: number
  /** The same to the beginning of the next line. */
  readonly end: number
}

const LINE_FEED = 0x0a

/**
 * Takes bytes apart into lines.
 *
 * @param at Where in the file the bytes begin; always the beginning of a line.
 * @param isWhole Whether nothing follows, so that what has no end of line is a line too.
 */
export function splitLines(bytes: Uint8Array, at: number, isWhole: boolean): readonly LogLine[] {
  const lines: LogLine[] = []
  let from = 0
  while (from < bytes.length) {
    const feed = bytes.indexOf(LINE_FEED, from)
    if (feed === -1 && !isWhole) break
    const to = feed === -1 ? bytes.length : feed
    const end = feed === -1 ? to : feed + 1
    lines.push({ text: decodeLine(bytes.subarray(from, to)), start: at + from, end: at + end })
    from = end
  }
  return lines
}

/**
 * A line as text: UTF-8, and where it is none Windows-1252, which older versions of the game write on Windows. Decided
 * for each line, so that one broken line does not change how others are read.
 */
export function decodeLine(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
