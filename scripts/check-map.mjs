// Checks that the map in CONTRIBUTING.md describes every folder of the sources and of the documentation, and no folder
// that does not exist.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SOURCES = ['*/src/**', 'docs/**', 'scripts/docs/**']
const root = fileURLToPath(new URL('..', import.meta.url))
const map = /## The map\s+```\n(.*?)```/s.exec(readFileSync(`${root}docs/CONTRIBUTING.md`, 'utf8'))?.[1] ?? ''
const listed = Array.from(map.matchAll(/^((?:[\w/]*\/src|docs|scripts\/docs)\S*) {2}/gm), ([, folder]) => folder)
const described = new Set(listed)
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...SOURCES], {
  cwd: root,
  encoding: 'utf8',
})
const folders = new Set(
  files
    .split('\n')
    .filter((file) => file !== '' && existsSync(root + file))
    .map((file) => file.slice(0, file.lastIndexOf('/'))),
)
const missing = [...folders].filter((folder) => !described.has(folder))
const gone = [...described].filter((folder) => !folders.has(folder))
if (missing.length + gone.length > 0) {
  for (const folder of missing) process.stderr.write(`CONTRIBUTING.md, "The map", does not describe ${folder}.\n`)
  for (const folder of gone)
    process.stderr.write(`CONTRIBUTING.md, "The map", describes ${folder}, which does not exist.\n`)
  process.exitCode = 1
}
