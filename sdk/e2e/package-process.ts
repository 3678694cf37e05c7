import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** The ways in which the package is loaded. */
export type Format = 'module' | 'commonjs'

/** The exit status and the output of a process. */
export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs source code in a new Node process that can import the installed packages. */
export async function runModule(source: string, format: Format = 'module'): Promise<Ended> {
  const folder = fileURLToPath(new URL('..', import.meta.url))
  const child = spawn(process.execPath, [`--input-type=${format}`, '-'], { cwd: folder })
  const exited = once(child, 'exit') as Promise<[number | null]>
  child.stdin.end(source)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await exited
  return { status, stdout, stderr }
}

/** Runs `body` in a module of the given format. The module loads the package as `sdk`. */
export function runOnPackage(format: Format, body: string): Promise<Ended> {
  const load = {
    module: "import * as sdk from '@fish-crab/sdk'",
    commonjs: "const sdk = require('@fish-crab/sdk')",
  }
  return runModule(`${load[format]}\nasync function main() {\n${body}\n}\nmain()\n`, format)
}
