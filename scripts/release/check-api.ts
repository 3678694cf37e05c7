// `npm run release` runs this script before it changes a file. The script fails if the release breaks public types
// although its version is not a breaking one.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { breaksBetween, isBreakingVersion } from './compatibility.ts'

const git = (...args: readonly string[]) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 })

const [version = ''] = process.argv.slice(2)
const previous = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname').split('\n')[0]
if (previous) {
  const reports = git('ls-tree', '-r', '--name-only', previous)
    .split('\n')
    .filter((file) => file.endsWith('.api.md'))
  const breaks = reports.flatMap((file) => {
    const now = existsSync(file) ? readFileSync(file, 'utf8') : ''
    return breaksBetween(git('show', `${previous}:${file}`), now).map((line) => `  ${file}: ${line}`)
  })
  if (breaks.length > 0 && !isBreakingVersion(previous.slice(1), version)) {
    process.stderr.write(`${version} cannot follow ${previous}: public types were removed or changed.\n`)
    process.stderr.write(`${breaks.join('\n')}\nRestore them, or release a version that may break its users.\n`)
    process.exitCode = 1
  }
}
