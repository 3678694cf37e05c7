// Checks that generated files are up to date. `npm run generate` updates them.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = (command, ...args) => execFileSync(command, args, { cwd: ROOT, encoding: 'utf8' })
const PAGES = ['cli/REFERENCE.md', 'cli/package.json', 'docs/settings.md', 'docs/monitoring.md', 'docs/monitoring/*']
const files = run('git', 'ls-files', '*.generated.ts', ...PAGES)
  .trim()
  .split('\n')
const read = () => files.map((file) => readFileSync(ROOT + file, 'utf8'))

const before = read()
run('npm', 'run', '--silent', 'generate')
const after = read()
for (const [index, file] of files.entries()) {
  if (before[index] === after[index]) continue
  process.stderr.write(`${file} was out of date, and is written anew. Commit it.\n`)
  process.exitCode = 1
}
