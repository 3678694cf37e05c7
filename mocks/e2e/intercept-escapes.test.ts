import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** The outcomes of one client in one round. `escaped` counts the requests that reached a real server or proxy. */
interface Result {
  readonly name: string
  readonly round: number
  readonly mocked: readonly string[]
  readonly unmocked: string
  readonly escaped: number
  readonly after: string
}

it('every kind of client reaches only the mock while requests are intercepted, and the real server afterwards', async () => {
  const child = fileURLToPath(new URL('./intercept-escapes.child.ts', import.meta.url))
  // If the script does not end within the timeout, the test fails.
  const { stdout } = await promisify(execFile)(process.execPath, [child], { timeout: 60_000 })
  const { results, changed, uncaught } = JSON.parse(stdout) as {
    readonly results: readonly Result[]
    readonly changed: readonly number[]
    readonly uncaught: readonly string[]
  }
  expect(results.length).toBeGreaterThanOrEqual(40)
  const expected = results.map(({ name, round }) => {
    const mocked = [name.startsWith('tunnel:') ? 'refused' : 'mock']
    return { name, round, mocked, unmocked: 'refused', escaped: 0, after: 'real' }
  })
  expect(results).toEqual(expected)
  // All globals are original again.
  expect({ changed, uncaught }).toEqual({ changed: [], uncaught: [] })
})
