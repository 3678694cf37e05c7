import type { NewUser } from '@fish-crab/sdk/admin'
import { ACCOUNT_LIMITS, isUserName, USER_NAME_RULE, userNameKey } from '@fish-crab/sdk/constants'
import { createCellReader, hasOpenQuote } from '../../../../../sdk/src/internal/csv.ts'

/** The players of a file, and the lines that name no player. */
export interface PlayerFile {
  readonly players: readonly NewUser[]
  /** One sentence for each wrong line, without any text of the file: a wrong separator puts passwords into any cell. */
  readonly problems: readonly string[]
}

/** Reads the same file as `fish-cli user create --file`: one name per line, or CSV with the header `name,password`. */
export function readPlayerFile(text: string): PlayerFile {
  const players: NewUser[] = []
  const problems: string[] = []
  const lines = new Map<string, number>()
  const readCells = createCellReader()
  let columns: readonly string[] | undefined
  for (const { line, record } of recordsOf(text)) {
    const report = (problem: string) => problems.push(`Line ${line}: ${problem}`)
    const cells = readCells(record)
    if (!cells) {
      report('A quotation mark is not closed, or text follows a closing quotation mark.')
      continue
    }
    if (!columns) {
      const titles = cells.map((cell) => cell.trim().toLowerCase())
      const hasHeader = titles.includes('name')
      columns = hasHeader ? titles : ['name']
      if (!areKnown(columns)) report('The header may only contain the columns name and password.')
      if (hasHeader) continue
    }
    const player = playerOf(cells, columns)
    if (typeof player === 'string') {
      report(player)
      continue
    }
    const key = userNameKey(player.name)
    const first = lines.get(key)
    if (first !== undefined) report(`name: Line ${first} contains the same player.`)
    else {
      lines.set(key, line)
      players.push(player)
    }
  }
  return { players, problems }
}

/** Joins the lines of quoted cells, and skips empty lines. */
function* recordsOf(text: string): Generator<{ readonly line: number; readonly record: string }> {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  for (let at = 0; at < lines.length; at += 1) {
    const line = at + 1
    let record = lines[at] ?? ''
    while (hasOpenQuote(record) && at + 1 < lines.length) {
      at += 1
      record += `\n${lines[at]}`
    }
    if (record.trim() !== '') yield { line, record }
  }
}

function areKnown(titles: readonly string[]): boolean {
  return titles.every((title) => title === 'name' || title === 'password') && new Set(titles).size === titles.length
}

/** Returns a problem as text. */
function playerOf(cells: readonly string[], columns: readonly string[]): NewUser | string {
  if (cells.length > columns.length) {
    const header = columns.length === 1 ? ' For passwords, start the file with the header name,password.' : ''
    return `Has ${cells.length} columns instead of ${columns.length}.${header}`
  }
  const name = cells[columns.indexOf('name')]?.trim() ?? ''
  const password = cells[columns.indexOf('password')] ?? ''
  if (!isUserName(name) || name === '.' || name === '..') return `name: Must be ${USER_NAME_RULE}.`
  if (password === '') return { name }
  const { minPasswordLength: shortest, passwordLength: longest } = ACCOUNT_LIMITS
  const isFitting = password.length >= shortest && password.length <= longest
  return isFitting ? { name, password } : `password: Must be ${shortest} to ${longest} characters.`
}
