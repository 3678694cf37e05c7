import { listChecks, runConformance } from '@fish-crab/mocks/conformance'
import { expect, it } from 'vitest'
import { openDirect } from './direct.ts'
import { VIOLATIONS } from './mutations.ts'

it.each(VIOLATIONS)('a service that %s fails the checks %s', async (_, prefix, around) => {
  const only = listChecks().flatMap(({ id }) => (id.startsWith(prefix) ? [id] : []))
  const { options } = await openDirect({ around })
  const { checks } = await runConformance({ ...options, only })
  expect(checks.map(({ id, outcome }) => [id, outcome])).toEqual(only.map((id) => [id, 'failed']))
  expect(only).not.toEqual([])
})
