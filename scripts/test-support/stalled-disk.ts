import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** A disk that stalls for processes with this environment. */
export interface StallingDisk {
  readonly env: Readonly<Record<string, string>>
  /** From now on, no flush of a file returns. */
  stall(): void
  /** From now on, no opening of a lock file returns. */
  stallLocks(): void
  /** Flushes return again, including those that were waiting. */
  resume(): void
  /** The files and folders that were flushed so far, one entry for each flush. */
  flushed(): readonly string[]
}

/** Makes such a disk for one test, or skips the test if that is impossible. */
export function createStallingDisk(skip: (reason: string) => never): StallingDisk {
  if (process.platform !== 'linux') skip('a stalling disk needs Linux')
  const folder = mkdtempSync(join(tmpdir(), 'fish-stall-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [library, stalled, locks, flushed] = ['stalled-sync.so', 'stalled', 'locks', 'flushed'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string]
  const source = fileURLToPath(new URL('./fixtures/stalled-sync.c', import.meta.url))
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'], { stdio: 'pipe' })
  } catch {
    skip('a stalling disk needs a C compiler')
  }
  return {
    env: { LD_PRELOAD: library, FISH_STALLED: stalled, FISH_LOCK_STALLED: locks, FISH_FLUSHED: flushed },
    stall: () => writeFileSync(stalled, ''),
    stallLocks: () => writeFileSync(locks, ''),
    resume: () => rmSync(stalled, { force: true }),
    flushed: () => (existsSync(flushed) ? readFileSync(flushed, 'utf8').trimEnd().split('\n') : []),
  }
}
