import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, test } from 'vitest'
import { createEncryption } from '../../server/src/app/users/encryption.ts'
import { createMaintenanceProgress } from '../src/commands/service/maintenance.ts'
import { createProgress } from '../src/terminal/progress.ts'
import { createStatusLine } from '../src/terminal/status-line.ts'
import { newFolder } from './folders.ts'
import { run } from './harness.ts'

const SECRETS = { FISH_SECRET: 'the secret of the beginning, long' }

/** A clock that advances whenever it is read, so that work seems to take long. */
function quickClock(stepMs: number) {
  let now = Date.parse('2026-01-01T00:00:00Z')
  return {
    now: () => {
      now += stepMs
      return now
    },
    sleep: () => new Promise<void>(() => {}),
  }
}

const KEYS = 2000

/** A data folder with encrypted keys. */
async function context() {
  const parent = newFolder()
  const data = join(parent, 'data')
  const storage = await createStorage({ driver: 'file', path: data })
  const encryption = createEncryption([SECRETS.FISH_SECRET], (bytes) => crypto.getRandomValues(bytes))
  const ids = Array.from({ length: KEYS }, (_, index) => `player-${index}`)
  await Promise.all(
    ids.map(async (id) => storage.items.setItem(`secret:${id}:fernet`, await encryption.encrypt('a key', id))),
  )
  await storage.dispose()
  return { parent, data, env: { ...SECRETS, FISH_STORAGE: `file:${data}` } }
}

const TERMINAL = { terminal: true, columns: 120, rows: 24 }

describe('maintenance on a terminal', () => {
  test('shows a progress bar for each step, and removes the bar at the end', async () => {
    const { parent, env } = await context()
    const clock = quickClock(700)
    const at = async (...argv: string[]) => (await run(argv, { ...TERMINAL, env, clock })).stderr
    const backup = await at('backup', join(parent, 'copy'))
    expect(backup).toMatch(/\[#{20}\] Copying: \d+ kB of \d+ kB \(100 %\)/)
    const restored = await at('restore', join(parent, 'copy'), '--storage', `file:${join(parent, 'other')}`)
    expect(restored).toMatch(/Copying: \d+ kB of \d+ kB \(100 %\)/)
    const rotated = await at('rotate-secret')
    expect(rotated).toMatch(
      /\[#{3}-{17}|\[#+-+\] Encrypting: \d+ of 2000 keys \(\d+ %\), \d+ a second, about \d+ s left/,
    )
    expect(rotated).toMatch(/\[#{20}\] Encrypting: 2000 of 2000 keys \(100 %\)/)
    for (const text of [backup, restored, rotated]) {
      expect(text.slice(text.lastIndexOf('\r'))).not.toMatch(/Copying|Encrypting/)
    }
  })

  test('removes the bar before it reports a failure', async () => {
    const { data, env, parent } = await context()
    const bytes = readFileSync(join(data, 'fish.db'))
    writeFileSync(join(data, 'fish.db'), bytes.fill(0x5a, 4096 * 2, 4096 * 6))
    const { status, stderr } = await run(['backup', join(parent, 'copy')], { ...TERMINAL, env })
    expect(status).toBe(1)
    expect(stderr).toContain('Copying: ')
    expect(stderr.slice(stderr.lastIndexOf('\r'))).toMatch(/^\r\S+\[Jfish-cli: [^\n]*damaged/)
  })
})

describe('maintenance without a terminal', () => {
  test('reports progress at most every ten seconds, and the result at the end', async () => {
    const { data, env } = await context()
    const { status, stdout, stderr } = await run(['rotate-secret'], { env, clock: quickClock(6000) })
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^Encrypted 0 of 2000 keys again\./)])
    const lines = stderr.split('\n').filter((line) => line.startsWith('fish-cli: Encrypting'))
    expect(lines.length).toBeGreaterThan(0)
    const quick = await run(['rotate-secret', '--storage', `file:${data}`], { env })
    expect(quick.stderr).not.toContain('Encrypting')
  })

  test.each([false, true])('with --json, prints only the JSON document (terminal: %s)', async (terminal) => {
    const { parent, env } = await context()
    const clock = quickClock(60_000)
    for (const argv of [
      ['backup', join(parent, 'copy')],
      ['restore', join(parent, 'copy'), '--storage', `file:${join(parent, 'other')}`],
      ['rotate-secret'],
    ]) {
      const { status, stdout, stderr } = await run([...argv, '--json'], { ...TERMINAL, terminal, env, clock })
      expect({ argv, status, stderr }).toEqual({ argv, status: 0, stderr: '' })
      expect(JSON.parse(stdout)).toBeTypeOf('object')
    }
  })
})

describe('the steps of maintenance', () => {
  test('are reported in order, even if a step is repeated', () => {
    const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 120, rows: 24 })
    let written = ''
    stderr.on('data', (piece: Buffer) => {
      written += piece.toString()
    })
    const progress = createMaintenanceProgress({
      progress: (options) => createProgress(createStatusLine({ env: {}, stderr }), quickClock(200), options),
    })
    progress.onProgress({ step: 'check', unit: 'bytes', done: 0, total: 5_000_000 })
    progress.onProgress({ step: 'check', unit: 'bytes', done: 5_000_000, total: 5_000_000 })
    progress.onProgress({ step: 'check', unit: 'bytes', done: 0, total: 5_000_000 })
    progress.onProgress({ step: 'rotate', unit: 'keys', done: 7 })
    expect(stripVTControlCharacters(written).match(/[A-Z][a-z ]+: [^\r]*/g)).toEqual([
      'Checking: 0 bytes of 5.0 MB (0 %)',
      'Checking: 5.0 MB of 5.0 MB (100 %)',
      'Checking: 0 bytes of 5.0 MB (0 %)',
      'Encrypting: 7 keys',
    ])
  })

  test.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1000, '1.0 kB'],
    [12_345_678, '12 MB'],
    [1_234_000_000_000_000, '1234 TB'],
  ])('show %d bytes as %s', (bytes, text) => {
    const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 120, rows: 24 })
    const progress = createMaintenanceProgress({
      progress: (options) => createProgress(createStatusLine({ env: {}, stderr }), quickClock(200), options),
    })
    progress.onProgress({ step: 'copy', unit: 'bytes', done: bytes })
    expect(stripVTControlCharacters(String(stderr.read()))).toContain(`Copying: ${text}`)
  })
})
