import { usageError } from '../core/errors.ts'
import { localTime } from '../core/time.ts'
import type { Style } from './screen.ts'

/** What a cell may hold. */
export type Cell = string | number | boolean | null | undefined

/** One column of what a command prints, in every format. */
export interface Column<Row extends object> {
  /** Its name in `--fields`, in the first line of CSV and TSV, and in JSON. */
  readonly field: string
  /** Its title in a table. @default the field in capitals, `caughtAt` as `CAUGHT AT` */
  readonly title?: string
  /** What it holds. @default the property of the row that is called like the field */
  readonly value?: (row: Row) => Cell
  /** How a table shows that. @default the value as it is, nothing for `null` and `undefined` */
  readonly text?: (value: Cell, row: Row) => string
  /** @default 'left' */
  readonly align?: 'left' | 'right'
  /** How a table colours the cell. */
  readonly style?: (value: Cell, row: Row) => Style | undefined
  /** Only shown when `--fields` names it. @default false */
  readonly hidden?: boolean
  /** Never cut, however narrow the terminal is: for what is copied, such as ids and secrets. @default false */
  readonly whole?: boolean
  /** Goes on in the next line where it does not fit, and is never cut: for sentences. @default false */
  readonly wrap?: boolean
}

/** What a column holds of a row. */
export function cellOf<Row extends object>(column: Column<Row>, row: Row): Cell {
  return column.value ? column.value(row) : (row as Readonly<Record<string, Cell>>)[column.field]
}

/** The title of a column. */
export function titleOf({ title, field }: { readonly title?: string; readonly field: string }): string {
  return title ?? field.replace(/([a-z\d])([A-Z])/g, '$1 $2').toUpperCase()
}

/**
 * A column of moments, which a table shows in the time zone of this machine; every other format has them as they are.
 *
 * @param title What the table calls them. @default that of {@link titleOf}
 */
export function timeColumn(field: string, title = titleOf({ field })): Column<object> {
  return {
    field,
    title: `${title} (LOCAL)`,
    text: (value) => (typeof value === 'string' ? localTime(value) : ''),
    whole: true,
  }
}

/**
 * The columns that `--fields a,b` asks for, in its order; those that are not hidden when nothing is asked for.
 * @throws CliError that lists the right fields. What was typed is not repeated: it may be anything.
 */
export function selectColumns<Row extends object>(
  columns: readonly Column<Row>[],
  fields: string | undefined,
): readonly Column<Row>[] {
  if (fields === undefined) return columns.filter(({ hidden }) => !hidden)
  const names = fields
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const byName = new Map(columns.map((column) => [column.field.toLowerCase(), column]))
  const chosen = [...new Set(names)].map((name) => byName.get(name.toLowerCase()))
  const known = chosen.filter((column) => column !== undefined)
  if (known.length === chosen.length && known.length > 0) return known
  throw usageError(
    known.length === chosen.length ? '--fields names no field.' : '--fields names a field that there is not.',
    `Fields: ${columns.map(({ field }) => field).join(',')}`,
  )
}
