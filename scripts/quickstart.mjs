// npm run quickstart: from a fresh clone to a catch in a collection. Needs Node 20 or later and npm, nothing else.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fail, installToRun, projectEnv, ROOT } from './lib/steps.mjs'

try {
  await installToRun()
  await tour(process.argv.slice(2))
} catch (error) {
  fail(error)
}

/** Hands over to the Node that the project brings. */
async function tour(args) {
  const child = spawn('node', [join(ROOT, 'scripts', 'tour.ts'), ...args], {
    cwd: ROOT,
    env: projectEnv(),
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  // The terminal sends Ctrl-C to both: the tour ends itself, and this waits for it.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  process.exitCode = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
}
