import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { GUARDS } from '../prove/guards.ts'

const ROOT = new URL('../../', import.meta.url)

test('each guard that is broken on purpose is at one place in the sources', () => {
  const places = GUARDS.map(({ guard, file, from }) => [
    guard,
    readFileSync(new URL(file, ROOT), 'utf8').split(from).length - 1,
  ])
  expect(places.filter(([, count]) => count !== 1)).toEqual([])
  expect(new Set(GUARDS.map(({ guard }) => guard)).size).toBe(GUARDS.length)
})
