import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'

interface Row {
  combination: string
  calls: number
  responded: number
  refused: number
  escaped: number
  failures: string[]
}
interface Report {
  rows: Row[]
  notReal: string[]
  uncaught: string[]
  changed: number[]
}

describe('an intercepted process', () => {
  let report: Report
  beforeAll(async () => {
    const child = fileURLToPath(new URL('./intercept-escapes.child.ts', import.meta.url))
    // If the script does not end within the timeout, the test fails.
    const { stdout } = await promisify(execFile)(process.execPath, [child], { timeout: 90_000, maxBuffer: 2 ** 24 })
    report = JSON.parse(stdout)
  })

  it('sends no request over new or proxied connections, with any client, even after interception is restarted', () => {
    expect(report.rows.filter(({ escaped }) => escaped > 0)).toEqual([])
    expect(report.rows.length).toBeGreaterThanOrEqual(20)
    expect(report.rows.reduce((calls, row) => calls + row.calls, 0)).toBeGreaterThanOrEqual(7_000)
  })

  const isRefused = ({ combination }: Row) =>
    combination.startsWith('tunnel:') || combination.endsWith('to another origin')

  it('gets a response from the mock to every call to the mocked origin, except calls through a tunnel', () => {
    const own = report.rows.filter((row) => !isRefused(row))
    expect(own.filter(({ responded, calls }) => responded !== calls)).toEqual([])
  })

  it('gets an UnhandledRequestError for every call to an origin that is not mocked and for every tunnel', () => {
    const others = report.rows.filter(isRefused)
    expect(others.length).toBeGreaterThan(4)
    expect(others.filter(({ refused, calls }) => refused !== calls)).toEqual([])
  })

  it('reaches the real server again after interception is closed', () => {
    expect(report.notReal).toEqual([])
  })

  it('has its original globals after interception, and no uncaught errors', () => {
    expect(report.changed).toEqual([])
    expect(report.uncaught).toEqual([])
  })
})
