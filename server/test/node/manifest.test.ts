import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>
}

test('a host may have any versions of the peer dependencies, which only the suite for drivers uses', async () => {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  const { peerDependencies, peerDependenciesMeta } = JSON.parse(text) as Manifest
  // npm also refuses an installation that violates the range of an optional peer.
  expect(peerDependencies).toEqual({ 'fast-check': '*', vitest: '*' })
  expect(peerDependenciesMeta).toEqual({ 'fast-check': { optional: true }, vitest: { optional: true } })
})
