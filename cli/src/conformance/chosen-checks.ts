import type { CheckInfo } from '@fish-crab/mocks/conformance'
import { usageError } from '../core/cli-error.ts'
import type { Column } from '../output/columns.ts'
import { printable } from '../output/text.ts'

/** `--only` and `--skip` of `conformance`: ids of checks and names of sections. */
export interface CheckFlags {
  readonly only?: readonly string[] | undefined
  readonly skip?: readonly string[] | undefined
}

/** What flags choose, as the conformance suite takes it, and the checks that it comes to. */
export interface ChosenChecks {
  readonly selection: { readonly only?: readonly string[]; readonly skip?: readonly string[] }
  readonly checks: readonly CheckInfo[]
}

/** The columns of a list of checks. */
export const CHECK_COLUMNS: readonly Column<CheckInfo>[] = [
  { field: 'id', whole: true },
  { field: 'section' },
  { field: 'title', wrap: true },
]

/** @throws CliError when they name what is no check and no section, or leave nothing */
export async function chosenChecks({ only, skip }: CheckFlags): Promise<ChosenChecks> {
  const { listChecks, SECTIONS } = await import('@fish-crab/mocks/conformance')
  const sections = Object.keys(SECTIONS)
  const known = [...sections, ...listChecks().map(({ id }) => id)]
  const unknown = [...(only ?? []), ...(skip ?? [])].find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const hint = `Sections: ${sections.join(', ')}. For the checks: fish-cli conformance --dry-run`
    throw usageError(`There is no check and no section "${printable(unknown)}".`, hint)
  }
  const selection = { ...(only && { only }), ...(skip && { skip }) }
  const checks = listChecks(selection)
  if (checks.length === 0) throw usageError('With these --only and --skip there is nothing to check.')
  return { selection, checks }
}
