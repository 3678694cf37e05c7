// npm run quickstart: goes from a fresh clone to a catch in a collection. It needs only Node 20 or later and npm.
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
  // The terminal sends Ctrl-C to both processes. The tour ends itself, and this process waits for it.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  process.exitCode = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
}
