import { allChecks } from '../checks/all.ts'
import type { Check } from './check.ts'
import type { ConformanceOptions } from './options.ts'
import { SECTIONS } from './sections.ts'

/** A check, and whether the options leave it out. */
export interface SelectedCheck {
  readonly check: Check
  readonly isLeftOut: boolean
}

/** The checks that `only` names, in their order. @throws RangeError when `only` or `skip` name what is not there */
export function selectChecks({ only, skip = [] }: Pick<ConformanceOptions, 'only' | 'skip'>): readonly SelectedCheck[] {
  const checks = allChecks()
  const known = new Set<string>([...Object.keys(SECTIONS), ...checks.map(({ id }) => id)])
  for (const name of [...(only ?? []), ...skip]) {
    if (!known.has(name)) throw new RangeError(`There is no check and no section "${name}". See listChecks().`)
  }
  const named = ({ id, section }: Check, names: readonly string[]) => names.includes(id) || names.includes(section)
  return checks
    .filter((check) => only === undefined || named(check, only))
    .map((check) => ({ check, isLeftOut: named(check, skip) }))
}
