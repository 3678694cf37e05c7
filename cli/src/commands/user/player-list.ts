import { ACCOUNT_LIMITS, isUserName, USER_NAME_RULE, userNameKey } from '@fish-crab/sdk/constants'
import { usageError } from '../../core/errors.ts'
import { readCsvRows } from '../add/csv.ts'
import { MAX_REPORTED, wrongLines } from '../add/read-file.ts'
import type { Problem } from '../add/records.ts'
import type { FileSource } from '../add/source.ts'

export interface ListedPlayer {
  readonly name: string
  readonly password?: string | undefined
}

const FORMAT_HINT = 'Write one name per line, or CSV with the header name,password.'

/**
 * Reads a list with one name per line, or a CSV file with a header.
 * @param report receives the problems @default the error lists the problems
 * @throws CliError `wrong_lines`, which quotes nothing of the file, because a misplaced separator puts passwords into any
 *   cell
 */
export async function readPlayers(
  source: Pick<FileSource, 'text'>,
  report: ((text: string) => void) | undefined,
): Promise<readonly ListedPlayer[]> {
  const players: ListedPlayer[] = []
  const problems: Problem[] = []
  const lines = new Map<string, string>()
  let columns: readonly string[] | undefined
  for await (const row of readCsvRows(source)) {
    if ('problem' in row) {
      problems.push(row)
      continue
    }
    const { at, cells } = row
    if (!columns) {
      const titles = cells.map((cell) => cell.trim().toLowerCase())
      const hasHeader = titles.includes('name')
      columns = hasHeader ? titles : ['name']
      const problem = headerProblem(columns)
      if (problem !== undefined) problems.push({ at, problem })
      if (hasHeader) continue
    }
    const player = playerOf(cells, columns)
    const key = typeof player === 'string' ? '' : userNameKey(player.name)
    const first = lines.get(key)
    if (typeof player === 'string') problems.push({ at, problem: player })
    else if (first !== undefined) problems.push({ at, problem: `name: ${first} contains the same player.` })
    else {
      lines.set(key, at)
      players.push(player)
    }
  }
  if (problems.length > 0) {
    const listed = problems.slice(0, MAX_REPORTED).map(({ at, problem }) => `${at}: ${problem}`)
    throw wrongLines(problems.length, listed, report)
  }
  if (players.length === 0) throw usageError('The file contains no players.', FORMAT_HINT)
  return players
}

function headerProblem(titles: readonly string[]): string | undefined {
  const known = ['name', 'password']
  const isKnown = titles.every((title) => known.includes(title)) && new Set(titles).size === titles.length
  return isKnown ? undefined : 'The header may only contain the columns name and password.'
}

/** Returns a problem as text. */
function playerOf(cells: readonly string[], columns: readonly string[]): ListedPlayer | string {
  if (cells.length > columns.length) {
    const header = columns.length === 1 ? ' For passwords, start the file with the header name,password.' : ''
    return `Has ${cells.length} columns instead of ${columns.length}.${header}`
  }
  const name = cells[columns.indexOf('name')]?.trim() ?? ''
  const password = cells[columns.indexOf('password')] || undefined
  if (!isUserName(name) || name === '.' || name === '..') return `name: Must be ${USER_NAME_RULE}.`
  const { minPasswordLength: shortest, passwordLength: longest } = ACCOUNT_LIMITS
  if (password !== undefined && (password.length < shortest || password.length > longest)) {
    return `password: Must be ${shortest} to ${longest} characters.`
  }
  return { name, password }
}
