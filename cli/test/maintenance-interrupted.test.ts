import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, onTestFinished, test } from 'vitest'
import { writeExport } from '../../server/test/node/export-file.ts'
import { describeWithRedis, startRedis, until } from '../../server/test/storage/redis-server.ts'
import { newFolder } from './folders.ts'
import { launch } from './maintenance-processes.ts'

const LINES = 20_000
const SECRETS = {
  FISH_SECRET: 'the secret of the beginning, long',
  FISH_JWT_SECRET: 'the secret of sessions, long enough',
  FISH_ADMIN_PASSWORD: 'canary-admin-password',
}

/** A large export in a folder of its own. */
function largeExport(lines = LINES) {
  const parent = newFolder()
  const file = join(parent, 'fish.jsonl')
  writeExport(file, lines)
  return { parent, file }
}

const when = (isSo: () => boolean) => until(async () => isSo())

describeWithRedis('an import into Redis', () => {
  /** Ends one by a signal once a part is written. */
  async function endedBy(signal: NodeJS.Signals, ...flags: readonly string[]) {
    const redis = await startRedis()
    onTestFinished(redis.stop)
    const { file } = largeExport()
    const program = launch(['import', file, ...flags], { FISH_STORAGE: redis.url })
    await until(async () => (await redis.admin.dbsize()) > 1000)
    program.child.kill(signal)
    const status = await program.closed
    expect(await redis.admin.dbsize()).toBeLessThan(LINES)
    return { redis, file, program, status }
  }

  test.each(['SIGTERM', 'SIGINT'] as const)('ended by %s says what stands where and what to do', async (signal) => {
    const { program, status } = await endedBy(signal)
    expect(status).toBe(130)
    expect(program.stdout()).toBe('')
    expect(program.stderr()).toMatch(
      /^(?:waiting [^\n]+\n)?fish-cli: Interrupted\. The Redis holds a part of the export now\.\n {2}Empty it [^\n]+\n$/,
    )
  })

  test('ended by SIGTERM says so as JSON where that is asked for', async () => {
    const { program, status } = await endedBy('SIGTERM', '--json')
    expect(status).toBe(130)
    expect(JSON.parse(program.stdout())).toMatchObject({
      error: { code: 'interrupted', exit: 130, hint: expect.stringMatching(/^Empty it /) },
    })
  })

  test('killed midway leaves what no server takes, not under the right secret either, until it is emptied', {
    timeout: 60_000,
  }, async () => {
    const { redis, file } = await endedBy('SIGKILL')
    const before = (await redis.admin.keys('*')).sort()
    const env = { FISH_STORAGE: redis.url, FISH_PORT: '0', FISH_LOG: 'silent', ...SECRETS }
    for (const more of [{}, { FISH_SECRET: 'quite another secret, and long too' }]) {
      const server = launch(['serve'], { ...env, ...more })
      expect([await server.closed, server.stdout()]).toEqual([1, ''])
      expect(server.stderr()).toMatch(/^fish-cli serve: The store holds part of an import [^\n]+\n$/)
    }
    const again = launch(['import', file], env)
    expect(await again.closed).toBe(1)
    expect(again.stderr()).toMatch(/^fish-cli: The store holds part of an import /)
    expect((await redis.admin.keys('*')).sort()).toEqual(before)

    await redis.admin.flushall()
    expect(await launch(['import', file], env).closed).toBe(0)
    await launch(['serve'], env).until(/^listening on /m)
  })
})

describe('an import into a folder', () => {
  test('ended by SIGTERM says that nothing was imported, and leaves nothing', async () => {
    const { parent, file } = largeExport(3 * LINES)
    const target = join(parent, 'target')
    const program = launch(['import', file], { FISH_STORAGE: `file:${target}` })
    await when(() => existsSync(target) && readdirSync(target).some((name) => name.startsWith('.import')))
    program.child.kill('SIGTERM')
    expect(await program.closed).toBe(130)
    expect(program.stderr()).toMatch(/^fish-cli: Interrupted\. Nothing was imported\.\n {2}Run it again[^\n]+\n$/)
    expect(readdirSync(target)).toEqual([])
  })
})

async function largeStore(millions = 60) {
  const parent = newFolder()
  const data = join(parent, 'data')
  const storage = await createStorage({ driver: 'file', path: data })
  const value = 'x'.repeat(1_000_000)
  for (let at = 0; at < millions; at += 1) await storage.items.setItem(`audit:filler-${at}`, value)
  await storage.dispose()
  return { parent, data, env: { FISH_STORAGE: `file:${data}` } }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
/** Whether a copy of some size is below a folder. */
const isCopying = (folder: string) =>
  existsSync(folder) &&
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /partial-|\.restore-/.test(name) && name.endsWith('fish.db'))
    .some((name) => sizeOf(join(folder, name)) > 1_000_000)

describe('a backup and a restore', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'ended by %s while they copy say so at once, and leave nothing',
    async (signal) => {
      const { parent, data, env } = await largeStore(300)
      const target = join(parent, 'target')
      for (const [argv, more, message] of [
        [
          ['backup', target],
          {},
          new RegExp(`^fish-cli: Interrupted\\. ${target} was not made\\.\n {2}Run it again\\.\n$`),
        ],
        [
          ['restore', data],
          { FISH_STORAGE: `file:${target}` },
          /^fish-cli: Interrupted\. Nothing was restored\.\n {2}Run/,
        ],
      ] as const) {
        const program = launch(argv, { ...env, ...more })
        await when(() => isCopying(parent))
        program.child.kill(signal)
        const asked = performance.now()
        expect([await program.closed, program.stdout()]).toEqual([130, ''])
        expect(performance.now() - asked).toBeLessThan(1000)
        expect(program.stderr()).toMatch(message)
        rmSync(target, { recursive: true, force: argv[0] === 'backup' })
        expect(readdirSync(parent)).toEqual(['data'])
      }
    },
  )

  test.skipIf(process.platform === 'win32')(
    'ended by Ctrl-C, which every process of a terminal gets, end as well',
    async () => {
      const { parent, env } = await largeStore(300)
      const program = launch(['backup', join(parent, 'copy'), '--json'], env, { detached: true })
      await when(() => isCopying(parent))
      process.kill(-Number(program.child.pid), 'SIGINT')
      expect(await program.closed).toBe(130)
      expect(JSON.parse(program.stdout())).toMatchObject({ error: { code: 'interrupted', exit: 130 } })
      expect(readdirSync(parent)).toEqual(['data'])
    },
  )
})

describe('an export', () => {
  const partOf = (parent: string) => readdirSync(parent).find((name) => name.startsWith('out.jsonl'))

  test.each([
    ['SIGTERM', 130, /^fish-cli: Interrupted\. \S+out\.jsonl was not made\.\n {2}Run it again\.\n$/],
    ['SIGINT', 130, /^fish-cli: Interrupted\. /],
    ['SIGKILL', null, /^$/],
  ] as const)('ended by %s leaves no half of a file under its name', async (signal, status, message) => {
    const { parent, env } = await largeStore()
    const out = join(parent, 'out.jsonl')
    const program = launch(['export', '--out', out], env)
    await when(() => partOf(parent) !== undefined)
    program.child.kill(signal)
    expect(await program.closed).toBe(status)
    expect(program.stderr()).toMatch(message)
    expect(existsSync(out)).toBe(false)
    if (status !== null) expect(readdirSync(parent)).toEqual(['data'])
  })

  test('ended by SIGTERM while its reader does not read says what was written; a second one waits for nothing', async () => {
    const { env } = await largeStore()
    const program = launch(['export', '--out', '-'], env)
    await program.until(/fish-crab-export/)
    program.child.stdout?.pause()
    program.child.kill('SIGTERM')
    await when(() => /^fish-cli: Interrupted\. What was written is part of an export/.test(program.stderr()))
    const ended = once(program.child, 'exit')
    program.child.kill('SIGTERM')
    await ended
    program.child.stdout?.resume()
    await program.closed
    expect(program.stdout()).not.toMatch(/"end":/)
  })
})
