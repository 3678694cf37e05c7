// npm run break-guards: breaks each guard of the service on purpose, one after the other in a copy of the sources, and shows
// that a test fails for it. `-- TEXT` breaks only those with that in their name.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { textTable } from './lib/text-table.ts'
import { GUARDS, type Guard } from './prove/guards.ts'

const [wanted = ''] = process.argv.slice(2)
const guards = GUARDS.filter(({ guard }) => guard.includes(wanted))
if (guards.length === 0) {
  process.stderr.write(`No guard has "${wanted}" in its name. They are in scripts/prove/guards.ts.\n`)
  process.exit(2)
}
const root = process.cwd()
const copy = mkdtempSync(join(tmpdir(), 'fish-guards-'))

/** The name of a test that fails while the guard is broken. */
function failingTest({ guard, file, from, to, tests }: Guard): string | undefined {
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  const broken = source.replace(from, () => to)
  if (broken === source) throw new Error(`"${guard}" is not in ${file} any more.`)
  writeFileSync(path, broken)
  try {
    return failureIn('unit', tests) ?? failureIn('integration', tests)
  } finally {
    writeFileSync(path, source)
  }
}

function failureIn(project: string, tests: readonly string[]): string | undefined {
  const results = join(copy, 'results.json')
  const options = ['--bail=1', '--passWithNoTests', '--testTimeout=20000', '--reporter=json', `--outputFile=${results}`]
  const { status, stderr } = spawnSync('vitest', ['run', '--project', project, ...options, ...tests], {
    cwd: copy,
    encoding: 'utf8',
  })
  if (status === 0) return undefined
  const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as { readonly testResults: readonly TestFile[] }
  const failed = testResults.flatMap(({ assertionResults }) => assertionResults).find((one) => one.status === 'failed')
  if (!failed) throw new Error(`The tests do not run:\n${stderr}`)
  return failed.fullName
}

interface TestFile {
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
}

try {
  for (const file of execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n')) {
    cpSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const rows = [['guard', 'a test that fails without it']]
  let survivors = 0
  for (const guard of guards) {
    const failed = failingTest(guard)
    if (failed === undefined) survivors += 1
    process.stderr.write(`${guard.guard}: ${failed ?? 'NO TEST FAILS'}\n`)
    rows.push([guard.guard, failed ?? 'NONE'])
  }
  process.stdout.write(textTable(rows))
  process.stdout.write(`${rows.length - 1} guards broken, ${survivors} unnoticed\n`)
  if (survivors > 0) process.exitCode = 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}
