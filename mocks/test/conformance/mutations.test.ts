import { ConformanceStartError, listChecks, runConformance } from '@fish-crab/mocks/conformance'
import { describe, expect, it } from 'vitest'
import { NOT_IN_PROCESS, openDirect } from './direct.ts'
import { MUTATIONS } from './mutations/all.ts'
import caughtBy from './mutations/caught-by.json' with { type: 'json' }

const IDS = listChecks().map(({ id }) => id)

/**
 * The checks that must fail under each mutation. In caught-by.json, `session-*` stands for all checks with an id that
 * begins with `session-`.
 */
const CAUGHT_BY = Object.entries(caughtBy).map(([name, patterns]) => {
  const matches = (id: string) =>
    patterns.some((pattern) => (pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern))
  return { name, patterns, checks: IDS.filter(matches) }
})

/** The mutations that prevent a run from starting. */
const NO_START = ['returns an invalid JWT']

const named = (name: string) => MUTATIONS.find((mutation) => mutation.name === name)

describe('a service that', () => {
  it.each(CAUGHT_BY)('$name is caught', async ({ name, checks }) => {
    const mutation = named(name)
    if (!mutation) throw new Error(`There is no mutation "${name}".`)
    const { options } = await openDirect({ around: mutation.around })
    const report = await runConformance({ ...options, only: checks })
    const outcomes = Object.fromEntries(report.checks.map(({ id, outcome }) => [id, outcome]))
    expect(outcomes).toEqual(Object.fromEntries(checks.map((id) => [id, 'failed'])))
  })

  it.each(NO_START)('%s makes the run fail before the first check', async (name) => {
    const { options } = await openDirect(named(name) ?? {})
    await expect(runConformance(options)).rejects.toBeInstanceOf(ConformanceStartError)
  })
})

describe('the mutations', () => {
  it('are assigned only to existing checks', () => {
    expect(CAUGHT_BY.filter(({ checks }) => checks.length === 0)).toEqual([])
  })

  it('are each assigned to at least one check, or prevent a run from starting', () => {
    const names = MUTATIONS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.sort()).toEqual([...CAUGHT_BY.map(({ name }) => name), ...NO_START].sort())
  })

  it('together make every check fail, except checks that the app does not support', () => {
    const failing = new Set(CAUGHT_BY.flatMap(({ checks }) => checks))
    const passing = IDS.filter((id) => !failing.has(id))
    expect(passing, 'Add a mutation that each check catches, and list both in caught-by.json').toEqual(NOT_IN_PROCESS)
  })
})
