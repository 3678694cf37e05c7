import { csvLine } from '../../../sdk/src/internal/csv.ts'
import { type Column, cellOf } from './table.ts'

export function renderCsv<Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const head = csvLine(columns.map(({ field }) => field))
  return head + rows.map((row) => csvLine(columns.map((column) => cellOf(column, row)))).join('')
}
