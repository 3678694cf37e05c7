import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished } from 'vitest'

/** Functions of `node:fs` that change or flush something. */
const CHANGING = [
  'copyFileSync',
  'fdatasyncSync',
  'fsyncSync',
  'ftruncateSync',
  'linkSync',
  'mkdirSync',
  'renameSync',
  'rmdirSync',
  'writeFileSync',
  'writeSync',
] as const

/** Calls of synchronous file functions that fail for one test. */
export interface FailingFiles {
  /** Makes calls fail with EIO if this returns true for their number, which starts at 1. */
  fail(isFailing: (call: number, name: string) => boolean): void
  /** Ends the failures. Returns the number of calls since `fail`. */
  stop(): number
}

/** Prepares failures that end with the test. */
export function prepareFailures(): FailingFiles {
  let isFailing: ((call: number, name: string) => boolean) | undefined
  let calls = 0
  const functions = fs as unknown as Record<string, (...args: unknown[]) => unknown>
  const originals = new Map(CHANGING.map((name) => [name, functions[name]] as const))
  for (const [name, original] of originals) {
    functions[name] = (...args) => {
      if (isFailing) calls += 1
      if (isFailing?.(calls, name)) throw Object.assign(new Error(`EIO: i/o error, ${name}`), FAILURE)
      return original?.(...args)
    }
  }
  syncBuiltinESMExports()
  onTestFinished(() => {
    for (const [name, original] of originals) if (original) functions[name] = original
    syncBuiltinESMExports()
  })
  return {
    fail(next) {
      isFailing = next
      calls = 0
    },
    stop() {
      isFailing = undefined
      return calls
    },
  }
}

const FAILURE = { code: 'EIO', errno: -5, syscall: 'test' }
