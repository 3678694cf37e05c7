import { listChecks, runConformance, SECTIONS } from '@fish-crab/mocks/conformance'
import { GAMEMODES } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { MASTER, NOT_IN_PROCESS, openDirect } from './direct.ts'
import { failuresOf } from './failures.ts'

describe('all conformance checks', () => {
  it('have a unique id, a unique sentence as the title, and a known section', () => {
    const checks = listChecks()
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length)
    expect(new Set(checks.map(({ title }) => title)).size).toBe(checks.length)
    for (const { id, title, section } of checks) {
      expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(title).toMatch(/^\S.* .*\.$/)
      expect(Object.keys(SECTIONS)).toContain(section)
      expect(Object.keys(SECTIONS)).not.toContain(id)
    }
    expect(new Set(checks.map(({ section }) => section))).toEqual(new Set(Object.keys(SECTIONS)))
  })
})

describe('an app in the test process', () => {
  it('passes all checks, keeps its existing data, and receives requests only for accounts that the run created', async () => {
    const { options, app, accounts, requests } = await openDirect()
    await app.users.create({ name: 'Alex' })
    const report = await runConformance(options)
    expect(failuresOf(report)).toEqual([])
    expect(report.checks.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id)).toEqual(NOT_IN_PROCESS)
    expect(report).toMatchObject({ failed: 0, skipped: 2, passed: listChecks().length - 2, notRemoved: [] })
    const named = requests.flatMap(({ url }) => {
      const { pathname, searchParams } = new URL(url)
      const inPath = /^\/admin\/(?:users|admins)\/([^/]+)/.exec(pathname)?.[1]
      return [inPath, searchParams.get('name'), searchParams.get('search')].flatMap((name) => (name ? [name] : []))
    })
    expect(named.length).toBeGreaterThan(500)
    expect(named.filter((name) => !/^(a|bulk|nobody|-?.?7?conformance-.*)$/i.test(decodeURIComponent(name)))).toEqual(
      [],
    )
    expect(requests.some(({ url }) => url.includes(MASTER))).toBe(false)
    expect(await accounts()).toEqual({ users: ['Alex'], admins: ['root'] })
  })

  it('passes two concurrent runs from different client addresses', async () => {
    const { options, accounts } = await openDirect()
    // Do not wait for windows, since each wait would advance the clock of both runs.
    const first = { ...options, maxWaitMs: 0 }
    const runs = [first, { ...first, fetch: options.otherClient?.() ?? globalThis.fetch }]
    for (const report of await Promise.all(runs.map((one) => runConformance(one)))) {
      expect(failuresOf(report)).toEqual([])
      expect(report.notRemoved).toEqual([])
    }
    expect((await accounts()).users).toEqual([])
  })

  it('passes with a fifth gamemode', async () => {
    const { options } = await openDirect({ gamemodes: ['factions', 'boxsmp', ...GAMEMODES.slice(0, -1)] })
    expect(failuresOf(await runConformance(options))).toEqual([])
  })

  it('passes with a custom rate limit', async () => {
    const rateLimit = { requests: 40, windowMs: 60_000 }
    const { options } = await openDirect({ rateLimit })
    expect(failuresOf(await runConformance(options))).toEqual([])
  })
})
