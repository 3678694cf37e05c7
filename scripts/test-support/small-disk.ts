import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Mounts a small disk for one test. Returns the reason if this machine does not allow it. */
export function mountSmallDisk(mebibytes = 2): { disk: string } | { reason: string } {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { reason: 'mounting a small disk needs root on Linux' }
  const disk = mkdtempSync(join(tmpdir(), 'fish-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', disk], { stdio: 'pipe' })
  } catch {
    rmSync(disk, { recursive: true })
    return { reason: 'this system does not allow mounting a small disk' }
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', disk])
    rmSync(disk, { recursive: true })
  })
  return { disk }
}
