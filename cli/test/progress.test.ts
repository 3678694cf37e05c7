import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, test } from 'vitest'
import { writeExport } from '../../scripts/test-support/export-file.ts'
import { createEncryption } from '../../server/src/app/users/encryption.ts'
import { bytesText, createMaintenanceProgress } from '../src/command/maintenance.ts'
import { createStatusLine } from '../src/output/status-line.ts'
import { newFolder } from './folders.ts'
import { run } from './harness.ts'

const LINES = 2000
const SECRETS = { FISH_SECRET: 'the secret of the beginning, long' }

/** A clock that goes on by so much at each look at it, so that work seems to take long. */
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

/** A folder with an export, and what every run of maintenance in it is given. */
function place() {
  const parent = newFolder()
  const file = join(parent, 'fish.jsonl')
  writeExport(file, LINES)
  const data = join(parent, 'data')
  return { parent, file, data, env: { ...SECRETS, FISH_STORAGE: `file:${data}` } }
}

const TERMINAL = { terminal: true, columns: 120, rows: 24 }

describe('maintenance on a terminal', () => {
  test('shows a bar for each of its steps, and takes it away at its end', async () => {
    const { parent, file, data, env } = place()
    const clock = quickClock(700)
    const at = async (...argv: string[]) => (await run(argv, { ...TERMINAL, env, clock })).stderr
    const imported = await at('import', file)
    expect(imported).toMatch(/\[#{20}\] Checking: \d+ kB of \d+ kB \(100 %\)/)
    expect(imported).toMatch(/\[#{5}-{15}\] Writing: 500 of 2000 lines \(25 %\), \d+ a second, about \d+ s left/)
    expect(imported).toMatch(/\[#{20}\] Writing: 2000 of 2000 lines \(100 %\)/)
    const exported = await at('export', '--out', join(parent, 'again.jsonl'))
    expect(exported).toMatch(/Checking: .* kB[\s\S]*Writing: \d+ of 2001 lines \(\d+ %\)/)
    const backup = await at('backup', join(parent, 'copy'))
    expect(backup).toMatch(/Checking: [\s\S]*Copying: [\s\S]*\(100 %\)/)
    const restored = await at('restore', join(parent, 'copy'), '--storage', `file:${join(parent, 'other')}`)
    expect(restored).toMatch(/Checking: [\s\S]*Copying: /)
    const storage = await createStorage({ driver: 'file', path: data })
    const vault = createEncryption([SECRETS.FISH_SECRET], (bytes) => crypto.getRandomValues(bytes))
    await storage.items.setItem('secret:ann:fernet', await vault.encrypt('a key', 'ann'))
    await storage.dispose()
    const resealed = await at('rotate-secret')
    expect(resealed).toMatch(/Encrypting: 0 of 1 keys \(0 %\)[\s\S]*\[#{20}\] Encrypting: 1 of 1 keys \(100 %\)/)
    for (const text of [imported, exported, backup, restored, resealed]) {
      expect(text.slice(text.lastIndexOf('\r'))).not.toMatch(/Writing|Checking|Copying|Sealing/)
    }
  })

  test('removes the bar before it reports a failure', async () => {
    const { file, env, parent } = place()
    const text = readFileSync(file, 'utf8')
    const { status, stderr } = await run(['import', join(parent, 'none.jsonl')], { ...TERMINAL, env })
    expect([status, stderr.includes('Checking')]).toEqual([5, false])
    writeExport(file, LINES, [{ item: 'nonsense' }])
    expect(readFileSync(file, 'utf8')).not.toBe(text)
    const wrong = await run(['import', file], { ...TERMINAL, env })
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toContain('\r\u{1b}[Jfish-cli: Line 2 ')
  })
})

describe('maintenance where stderr is no terminal', () => {
  test('says how far it is every ten seconds at most, and what it did in the end', async () => {
    const { file, data, env } = place()
    const { status, stdout, stderr } = await run(['import', file], { env, clock: quickClock(2600) })
    expect(status).toBe(0)
    expect(stdout).toBe(`${data}: players: 0, catches: 0, writes: 0\n`)
    const lines = stderr.split('\n').filter((line) => line.startsWith('fish-cli: Writing'))
    expect(lines).toEqual([
      expect.stringMatching(/^fish-cli: Writing: 1500 of 2000 lines \(75 %\), \d+ a second, about /),
    ])
    const quick = await run(['import', file, '--storage', `file:${data}-2`], { env })
    expect(quick.stderr).not.toContain('Writing')
  })

  test.each([false, true])('with --json prints nothing but the document (terminal: %s)', async (terminal) => {
    const { file, parent, env } = place()
    const clock = quickClock(60_000)
    for (const argv of [
      ['import', file],
      ['export', '--out', join(parent, 'again.jsonl')],
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
  test('are reported one after the other, also the same one twice', () => {
    const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 120, rows: 24 })
    let written = ''
    stderr.on('data', (piece: Buffer) => {
      written += piece.toString()
    })
    const progress = createMaintenanceProgress({ line: createStatusLine({ env: {}, stderr }), clock: quickClock(200) })
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
  ])('count %d bytes as %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text)
  })
})
