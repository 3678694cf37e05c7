import { join } from 'node:path'
import { importStore } from '@fish-crab/server'
import { expect, onTestFinished, test } from 'vitest'
import { writeExport } from '../../scripts/test-support/export-file.ts'
import { describeWithRedis, startRedis, until } from '../../scripts/test-support/redis-server.ts'
import { newFolder } from './folders.ts'
import { launch } from './maintenance-processes.ts'

// Written in about 0.7 s: long enough to be ended in between.
const LINES = 20_000
const SECRETS = {
  FISH_SECRET: 'the secret of the beginning, long',
  FISH_JWT_SECRET: 'the secret of sessions, long enough',
  FISH_ADMIN_PASSWORD: 'canary-admin-password',
}

/** An export in a folder of its own. */
function exportOf(lines: number): string {
  const file = join(newFolder(), 'fish.jsonl')
  writeExport(file, lines)
  return file
}

describeWithRedis('an import into Redis', () => {
  /** Ends one by a signal once a part is written. */
  async function endedBy(signal: NodeJS.Signals, ...flags: readonly string[]) {
    const redis = await startRedis()
    onTestFinished(redis.stop)
    const file = exportOf(LINES)
    const program = launch(['import', file, ...flags], { FISH_STORAGE: redis.url })
    await until(async () => (await redis.admin.dbsize()) > 1000)
    program.child.kill(signal)
    const status = await program.closed
    expect(await redis.admin.dbsize()).toBeLessThan(LINES)
    return { redis, file, program, status }
  }

  test('ended by a signal says what stands where and what to do, as JSON where that is asked for', async () => {
    const [json, ...plain] = await Promise.all([endedBy('SIGTERM', '--json'), endedBy('SIGTERM'), endedBy('SIGINT')])
    for (const { program, status } of plain) {
      expect([status, program.stdout()]).toEqual([130, ''])
      expect(program.stderr()).toMatch(
        /^(?:waiting [^\n]+\n)?fish-cli: Interrupted\. The Redis contains a part of the export now\.\n {2}Empty it [^\n]+\n$/,
      )
    }
    expect(json.status).toBe(130)
    expect(JSON.parse(json.program.stdout())).toMatchObject({
      error: { code: 'interrupted', exit: 130, hint: expect.stringMatching(/^Empty it /) },
    })
  })

  test('killed midway leaves what no server takes, not under the right secret either, until it is emptied', {
    timeout: 60_000,
  }, async () => {
    const { redis, file } = await endedBy('SIGKILL')
    const before = (await redis.admin.keys('*')).sort()
    const env = { FISH_STORAGE: redis.url, FISH_PORT: '0', FISH_LOG: 'silent', ...SECRETS }
    const again = launch(['import', file], env)
    const servers = [{}, { FISH_SECRET: 'quite another secret, and long too' }].map((more) =>
      launch(['serve'], { ...env, ...more }),
    )
    for (const server of servers) {
      expect([await server.closed, server.stdout()]).toEqual([1, ''])
      expect(server.stderr()).toMatch(/^fish-cli serve: The store is incomplete: [^\n]+\n$/)
    }
    expect(await again.closed).toBe(1)
    expect(again.stderr()).toMatch(/^fish-cli: The store is incomplete: /)
    // The probe of a start expires after a second.
    await expect.poll(async () => (await redis.admin.keys('*')).sort(), { timeout: 10_000 }).toEqual(before)

    await redis.admin.flushall()
    // No server runs that would have to notice it.
    await importStore({ env, file: exportOf(1), noticeMs: 0 })
    await launch(['serve'], env).until(/^listening on /m)
  })
})
