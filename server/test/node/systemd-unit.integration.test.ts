import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'

/** The highest allowed exposure level of `systemd-analyze security`, from 0 (best) to 10. */
const EXPOSURE = 1.7

describe('the systemd unit in docs/operate.md', () => {
  test('is valid, and has an exposure level of at most 1.7 of 10', ({ skip }) => {
    if (spawnSync('systemd-analyze', ['--version']).error) return skip('systemd-analyze is not installed')
    const page = readFileSync(new URL('../../../docs/operate.md', import.meta.url), 'utf8')
    const [, unit = ''] = /## systemd\s+```ini\n(.*?)```/s.exec(page) ?? []
    const folder = mkdtempSync(join(tmpdir(), 'fish-unit-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'fish-crab.service')
    writeFileSync(file, unit)
    const analyze = (...args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' })
      return { status, output: stdout + stderr }
    }
    expect(analyze('verify')).toEqual({ status: 0, output: '' })
    const { output } = analyze('security', '--offline=yes')
    expect(Number(/exposure level for \S+: ([\d.]+)/.exec(output)?.[1])).toBeLessThanOrEqual(EXPOSURE)
    return undefined
  })
})
