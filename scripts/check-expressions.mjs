// Finds regular expressions that take exponential or quadratic time. Such an expression would let the text of a stranger
// stop the program.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { analyse } from 'scslre'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = ['sdk/src', 'server/src', 'server/web/src', 'mocks/src', 'cli/src'].flatMap((folder) => [
  `${folder}/*.ts`,
  `${folder}/*.tsx`,
])

function expressionsIn(file) {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true, kind)
  const found = []
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
      found.push({ place: `${file}:${line}`, text: node.text })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function problemsOf({ place, text }) {
  const end = text.lastIndexOf('/')
  const { reports } = analyse({ source: text.slice(1, end), flags: text.slice(end + 1) })
  return reports.map(({ exponential }) => `${place}: takes ${exponential ? 'exponential' : 'quadratic'} time: ${text}`)
}

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...SOURCES], {
  cwd: root,
  encoding: 'utf8',
})
const problems = files.trim().split('\n').flatMap(expressionsIn).flatMap(problemsOf)
for (const problem of problems) process.stderr.write(`${problem}\n`)
if (problems.length > 0) process.exitCode = 1
