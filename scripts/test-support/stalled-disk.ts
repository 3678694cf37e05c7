import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** A disk that can stall for processes that run with the environment `env`. */
export interface StallingDisk {
  readonly env: Readonly<Record<string, string>>
  /** Lets every flush of a file hang. */
  stall(): void
  /** Lets every attempt to open a lock file hang. */
  stallLocks(): void
  /** Lets all flushes return again, including the hanging ones. */
  resume(): void
  /** Returns the flushed files and folders, one entry for each flush. */
  flushed(): readonly string[]
}

/** Creates a stalling disk for one test. Skips the test if this machine cannot run a stalling disk. */
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
