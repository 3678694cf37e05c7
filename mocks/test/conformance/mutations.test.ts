import { ConformanceStartError, listChecks, runConformance } from '@fish-crab/mocks/conformance'
import { describe, expect, it } from 'vitest'
import { NOT_IN_PROCESS, openDirect } from './direct.ts'
import { MUTATIONS } from './mutations/all.ts'
import caughtBy from './mutations/caught-by.json' with { type: 'json' }

/**
 * For each mutation the checks that are to fail under it. Each check stands with the mutation that the fewest checks
 * notice, and each mutation has at least one.
 */
const CAUGHT_BY: Readonly<Record<string, readonly string[]>> = caughtBy

/** Mutations that the contract allows: an implementation may use other codes here. */
const NOT_IN_THE_CONTRACT = [
  'says "wrong" in place of "invalid_query"',
  'says "wrong" in place of "too_many_species"',
  'says "wrong" in place of "admin_not_found"',
  'says "wrong" in place of "admin_exists"',
]
/** Mutations under which no run starts. */
const NO_START = ['returns no JWT']

const named = (name: string) => MUTATIONS.find((mutation) => mutation.name === name)

describe('a service that', () => {
  it.each(Object.entries(CAUGHT_BY))('%s is caught', async (name, checks) => {
    const mutation = named(name)
    if (!mutation) throw new Error(`There is no mutation "${name}".`)
    const { options } = await openDirect({ around: mutation.around })
    const report = await runConformance({ ...options, only: checks })
    const outcomes = Object.fromEntries(report.checks.map(({ id, outcome }) => [id, outcome]))
    expect(outcomes).toEqual(Object.fromEntries(checks.map((id) => [id, 'failed'])))
  })

  it.each(NO_START)('%s fails the run before the first check', async (name) => {
    const { options } = await openDirect(named(name) ?? {})
    await expect(runConformance(options)).rejects.toBeInstanceOf(ConformanceStartError)
  })
})

describe('the mutations', () => {
  it('are more than 200, and all are caught but those that the contract leaves open', () => {
    const names = MUTATIONS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(200)
    expect(names.filter((name) => !Object.hasOwn(CAUGHT_BY, name)).sort()).toEqual(
      [...NOT_IN_THE_CONTRACT, ...NO_START].sort(),
    )
  })

  it('make every check fail that can be made here', () => {
    const failing = new Set(Object.values(CAUGHT_BY).flat())
    const passing = listChecks()
      .map(({ id }) => id)
      .filter((id) => !failing.has(id))
    expect(passing, 'Add a mutation that each check catches, and list both in caught-by.json').toEqual(NOT_IN_PROCESS)
  })
})
