import { localTime } from '../core/time.ts'
import type { Style } from './screen.ts'
import { printable } from './text.ts'

export type Cell = string | number | boolean | null | undefined

export interface Column<Row extends object = object> {
  /** The name of the column in JSON and in the header of CSV. */
  readonly field: string
  /** The title in a table. @default the field in capitals, `caughtAt` as `CAUGHT AT` */
  readonly title?: string
  /** @default the property of the row with the name of the field */
  readonly value?: (row: Row) => Cell
  /** The text in a table. @default the value, empty for `null` and `undefined` */
  readonly text?: (value: Cell, row: Row) => string
  readonly align?: 'left' | 'right'
  /** The style in a table. */
  readonly style?: (value: Cell, row: Row) => Style | undefined
  /** Whether only CSV contains the column. */
  readonly hidden?: boolean
  /** Never truncates values, for ids, secrets and other values that users copy. */
  readonly whole?: boolean
  /** Wraps values instead of truncating values, for sentences. */
  readonly wrap?: boolean
}

export function cellOf<Row extends object>(column: Column<Row>, row: Row): Cell {
  return column.value ? column.value(row) : (row as Readonly<Record<string, Cell>>)[column.field]
}

export function cellText<Row extends object>(column: Column<Row>, row: Row): string {
  const value = cellOf(column, row)
  return printable(column.text ? column.text(value, row) : String(value ?? ''))
}

export function titleOf({ title, field }: { readonly title?: string; readonly field: string }): string {
  return title ?? field.replace(/([a-z\d])([A-Z])/g, '$1 $2').toUpperCase()
}

/** A column of times. Times are local in a table, and unchanged in JSON and CSV. */
export function timeColumn(field: string, title = titleOf({ field })): Column {
  return {
    field,
    title: `${title} (LOCAL)`,
    text: (value) => (typeof value === 'string' ? localTime(value) : ''),
    whole: true,
  }
}
