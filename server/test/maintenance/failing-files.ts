import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished } from 'vitest'

/** The functions of `node:fs` that change or flush files. */
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

/** Makes synchronous file functions fail in one test. */
export interface FailingFiles {
  /** Makes a call fail with EIO if `isFailing` returns true for the number of the call, which starts at 1. */
  fail(isFailing: (call: number, name: string) => boolean): void
  /** Ends the failures, and returns the number of calls since `fail`. */
  stop(): number
}

/** Prepares failures that end when the test ends. */
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
