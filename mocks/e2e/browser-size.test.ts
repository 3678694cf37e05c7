import { expect, test } from 'vitest'
import { bundlePage, gzippedBytes, type PageBundle } from './browser-bundle.ts'

/** What a page may load beside MSW. The aim is 14 KB; each step towards it lowers this. */
const BUDGET_BYTES = 69 * 1024
const SHOWN = 14

const MSW_ALONE = `
  import { http } from 'msw'
  import { setupWorker } from 'msw/browser'
  globalThis.mocked = [http, setupWorker]`
const MSW_AND_MOCK = `
  import { createMock } from '@fish-crab/mocks'
  ${MSW_ALONE}
  globalThis.createMock = createMock`

test('a page that has MSW pays for the mock what the budget allows, at once and in all', async () => {
  const [alone, both] = await Promise.all([bundlePage(MSW_ALONE), bundlePage(MSW_AND_MOCK)])
  const atOnce = gzippedBytes(both, both.eager) - gzippedBytes(alone, alone.eager)
  const inAll = gzippedBytes(both) - gzippedBytes(alone)
  process.stdout.write(
    [
      `Beside MSW (${gzippedBytes(alone)} bytes gzipped), a page loads ${atOnce} at once, ${inAll} in all.`,
      'Of what is loaded at once, minified, before compression:',
      ...heaviest(both, alone).map(([module, bytes]) => `${String(bytes).padStart(7)}  ${module}`),
      '',
    ].join('\n'),
  )
  expect(atOnce).toBeGreaterThan(0)
  expect(atOnce).toBeLessThanOrEqual(BUDGET_BYTES)
  expect(inAll).toBeLessThanOrEqual(BUDGET_BYTES)
})

test('a page loads nothing of Node, of undici, or of the lanes that only Node has', async () => {
  const { files, eagerModules } = await bundlePage(MSW_AND_MOCK)
  for (const code of files.values()) expect(code).not.toMatch(/["']node:/)
  const modules = [...eagerModules.keys()]
  expect(modules).toContainEqual(expect.stringContaining('node-lanes.default'))
  expect(modules).not.toContainEqual(expect.stringMatching(/undici|interceptors\/.*http|conformance|standalone/))
})

/** What the mock adds, the largest first: packages as one, files of this project each. */
function heaviest(both: PageBundle, alone: PageBundle): (readonly [string, number])[] {
  const sums = new Map<string, number>()
  for (const [path, bytes] of both.eagerModules) {
    const module = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path
    sums.set(module, (sums.get(module) ?? 0) + bytes - (alone.eagerModules.get(path) ?? 0))
  }
  return [...sums].sort(([, one], [, other]) => other - one).slice(0, SHOWN)
}
