// npm run quickstart: installs the packages, starts a service, and stores a first catch. A fresh clone needs only npm
// and Node 20 or later.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fail, installToRun, projectEnv, ROOT } from './lib/steps.mjs'

try {
  await installToRun()
  await tour(process.argv.slice(2))
} catch (error) {
  fail(error)
}

/** Runs the tour with the project's Node. */
async function tour(args) {
  const child = spawn('node', [join(ROOT, 'scripts', 'tour.ts'), ...args], {
    cwd: ROOT,
    env: projectEnv(),
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  // Ctrl-C in the terminal interrupts both processes. The tour exits by itself, so this process ignores the signal and
  // waits for the tour.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  process.exitCode = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
}
