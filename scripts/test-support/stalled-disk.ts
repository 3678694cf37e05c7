import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** A disk that stalls for processes that are started with this environment. */
export interface StallingDisk {
  readonly env: Readonly<Record<string, string>>
  /** From here on no flush of a file returns. */
  stall(): void
  /** From here on no opening of a lock file returns. */
  stallLocks(): void
  /** Flushes return again, also those that waited. */
  resume(): void
  /** The files and folders that were flushed until now, one for each flush. */
  flushed(): readonly string[]
}

/** Makes such a disk for one test, which is skipped where there is none. */
export function createStallingDisk(skip: (reason: string) => never): StallingDisk {
  if (process.platform !== 'linux') skip('a disk is made to stall on Linux alone')
  const folder = mkdtempSync(join(tmpdir(), 'fish-stall-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [library, stalled, locks, flushed] = ['stalled-sync.so', 'stalled', 'locks', 'flushed'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string]
  const source = fileURLToPath(new URL('./fixtures/stalled-sync.c', import.meta.url))
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'], { stdio: 'pipe' })
  } catch {
    skip('there is no C compiler to make a disk stall')
  }
  return {
    env: { LD_PRELOAD: library, FISH_STALLED: stalled, FISH_LOCK_STALLED: locks, FISH_FLUSHED: flushed },
    stall: () => writeFileSync(stalled, ''),
    stallLocks: () => writeFileSync(locks, ''),
    resume: () => rmSync(stalled, { force: true }),
    flushed: () => (existsSync(flushed) ? readFileSync(flushed, 'utf8').trimEnd().split('\n') : []),
  }
}
