// npm run mutants -- FILES…: makes small changes to the code, one at a time, and lists the changes that no unit test
// notices. All FILES must be in one package, such as `sdk/src/client/**/*.ts`. The default files are those of the
// client, the outbox, the app, the storages and the client of the command line, which take hours. Earlier results are
// stored in .tmp/mutants, so a later run tests only changed code.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ALL = [
  'sdk/src/{client,outbox}/**/*.ts',
  'server/src/app/**/*.ts',
  'server/src/storage/{core,memory,file}/**/*.ts',
  'cli/src/client/**/*.ts',
]
const FOLDER = '.tmp/mutants'
const program = fileURLToPath(new URL('./mutants/node_modules/@stryker-mutator/core/bin/stryker.js', import.meta.url))
const given = process.argv.slice(2)

mkdirSync(FOLDER, { recursive: true })
for (const files of given.length > 0 ? [given.join()] : ALL) {
  const [name = ''] = files.split('/')
  const { status } = spawnSync(process.execPath, [program, 'run', 'scripts/mutants/stryker.json', '--mutate', files], {
    stdio: 'inherit',
    env: { ...process.env, MUTANTS_PACKAGE: name },
  })
  if (status !== 0) process.exitCode = status ?? 1
}
