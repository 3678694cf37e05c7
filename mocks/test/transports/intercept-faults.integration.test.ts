import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'

type Table = Record<string, { outcome: string; name?: string; code?: string; causeCode?: string }>

describe('a network fault of an intercepted request', () => {
  let report: { real: Table; mocked: Table; uncaught: string[] }
  beforeAll(async () => {
    const child = fileURLToPath(new URL('./intercept-faults.child.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [child])
    report = JSON.parse(stdout)
  })

  it('has the same effect on every client as a fault of a real server', () => {
    expect(report.mocked).toEqual(report.real)
  })

  it('causes the expected error for each kind of fault and each client', () => {
    const { mocked } = report
    expect(Object.keys(mocked).length).toBeGreaterThanOrEqual(60)
    expect(mocked['fetch GET, reset-first']).toMatchObject({ name: 'TypeError', causeCode: 'ECONNRESET' })
    expect(mocked['fetch GET, cut']).toMatchObject({ outcome: 'body', causeCode: 'UND_ERR_SOCKET' })
    expect(mocked['undici.request GET, lost-late']).toMatchObject({ outcome: 'body', code: 'UND_ERR_SOCKET' })
    expect(mocked['node:http GET, cut']).toMatchObject({ outcome: 'body', code: 'ECONNRESET' })
    expect(mocked['fetch GET, silence']).toMatchObject({ name: 'TimeoutError' })
    expect(mocked['fetch GET, slow-response']).toEqual({ outcome: 'response 25' })
  })

  it('causes no uncaught errors', () => {
    expect(report.uncaught).toEqual([])
  })
})
