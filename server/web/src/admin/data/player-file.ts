import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'

/** The players of a file, and the lines that name no player. */
export interface PlayerFile {
  readonly names: readonly string[]
  /** One sentence for each wrong line. */
  readonly problems: readonly string[]
}

/** A first cell with this text is the header of the column. */
const HEADER = /^(name|player|user)s?$/i

/**
 * Reads names of new players: one name per line, or the first column of a CSV file. Each name counts once, in any letter
 * case.
 */
export function readPlayerFile(text: string): PlayerFile {
  const names = new Map<string, string>()
  const problems: string[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  for (const [index, line] of lines.entries()) {
    const [cell = ''] = line.split(/[,;\t]/, 1)
    const name = cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim()
    if (name === '' || (index === 0 && HEADER.test(name))) continue
    const key = name.toLowerCase()
    if (!isUserName(name) || /^\.\.?$/.test(name)) {
      problems.push(`Line ${index + 1}: a name must be ${USER_NAME_RULE}, not “${name.slice(0, 40)}”.`)
    } else if (names.has(key)) problems.push(`Line ${index + 1}: ${name} is named twice.`)
    else names.set(key, name)
  }
  return { names: [...names.values()], problems }
}
