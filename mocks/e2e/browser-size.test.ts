import { expect, test } from 'vitest'
import { bundlePage, gzippedBytes, type Loaded } from './browser-bundle.ts'

/** Maximum gzipped size, in bytes, of the files that a page loads in addition to MSW before createMock() is called. */
const AT_ONCE_BYTES = 14 * 1024
/** Maximum gzipped size, in bytes, after createMock(), which loads the service with its schemas and its storage. */
const WITH_A_MOCK_BYTES = 80 * 1024
const SHOWN = 14

/** The prefixes of the file names of the page and of the mock. */
const [PAGE, MOCK] = ['page.js', 'open-mock']

const MSW_ALONE = `
  import { http } from 'msw'
  import { setupWorker } from 'msw/browser'
  globalThis.mocked = [http, setupWorker]`
const MSW_AND_MOCK = `
  import { createMock } from '@fish-crab/mocks'
  ${MSW_ALONE}
  globalThis.createMock = createMock`

test('a page with MSW stays within the size budget before and after createMock()', async () => {
  const [alone, both] = await Promise.all([bundlePage(MSW_ALONE), bundlePage(MSW_AND_MOCK)])
  const [page, mock] = [both.load(PAGE), both.load(MOCK)]
  const beside = (files: Iterable<string>) => gzippedBytes(both, files) - gzippedBytes(alone)
  const atOnce = beside(page.files)
  const withMock = beside(new Set([...page.files, ...mock.files]))
  process.stdout.write(
    [
      `Beside MSW (${gzippedBytes(alone)} bytes gzipped), a page loads ${atOnce} at once, ${withMock} with a mock;`,
      `sessions of administrators, their routes and the OpenAPI document, too, make it ${beside(both.files.keys())}.`,
      'Of what is loaded with a mock, minified, before compression:',
      ...heaviest(mock, page).map(([module, bytes]) => `${String(bytes).padStart(7)}  ${module}`),
      '',
    ].join('\n'),
  )
  expect(atOnce).toBeGreaterThan(0)
  expect(atOnce).toBeLessThanOrEqual(AT_ONCE_BYTES)
  expect(withMock).toBeGreaterThan(atOnce)
  expect(withMock).toBeLessThanOrEqual(WITH_A_MOCK_BYTES)
})

test('a page loads no Node modules, no undici and no transports for Node', async () => {
  const bundle = await bundlePage(MSW_AND_MOCK)
  for (const code of bundle.files.values()) expect(code).not.toMatch(/["']node:/)
  const modules = [PAGE, MOCK].flatMap((name) => [...bundle.load(name).modules.keys()])
  expect(modules).toContainEqual(expect.stringContaining('node-transports.default'))
  expect(modules).not.toContainEqual(expect.stringMatching(/undici|interceptors\/.*http|conformance|standalone/))
})

/**
 * Returns the largest modules of a mock, largest first. Packages count as one module, files of this project separately.
 */
function heaviest(mock: Loaded, page: Loaded): (readonly [string, number])[] {
  const sums = new Map<string, number>()
  for (const [path, bytes] of mock.modules) {
    if (page.modules.has(path)) continue
    const module = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path
    sums.set(module, (sums.get(module) ?? 0) + bytes)
  }
  return [...sums].sort(([, one], [, other]) => other - one).slice(0, SHOWN)
}
