import type { World } from '../context/context.ts'
import type { CheckInfo } from './results.ts'
import type { Section } from './sections.ts'

/** One check: a sentence about behaviour, and how to see whether it holds. */
export interface Check extends CheckInfo {
  /** Rejects with `ConformanceFailure` when it does not hold, with `CheckSkipped` when that cannot be seen here. */
  readonly run: (world: World) => Promise<void>
}

/** A row of a list of checks: id, title, and how to see whether it holds. */
export type CheckRow = readonly [id: string, title: string, run: (world: World) => Promise<void>]

/** The checks of one section. */
export function checksOf(section: Section, rows: readonly CheckRow[]): readonly Check[] {
  return rows.map(([id, title, run]) => ({ id, title, section, run }))
}
