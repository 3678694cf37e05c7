// Finds expressions that are hard to understand at the first reading. Checks Markdown, comments, titles of tests and
// printed texts.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const RULES = {
  'a sentence without a verb': /^(Not|For|With|By|Of|As)\b [^,:;.]{3,}([.:;]|, (which|so|who)\b)/,
  'an unusual verb':
    /\bgo(es)? on (?!\w+ing)|\bsays? (it|nothing of)\b|\bof (before|today)\b|\b(gets|takes) its (while|place|name)\b|\basks? (nobody|nothing|for nothing|at|every|less|on)\b|\bis answered\b|without a word/,
  'a clause in place of a noun':
    /[.:;|] (What|Whatever|Whoever|Whose|All that)\b(?![^.]*\?)|\b(with|of|by|for|and|or|than|to|in|from|keeps?|adds?|holds?|loses?|removes?|takes?|finds?) what (is|was|were|has|had|came|could|cannot|they|it)\b(?! (wrong|missing))|\ball that (is|was|were|are|came|has|had)\b/,
  'a negated noun':
    /(?<!here )\b(is|are|was) no (?!longer|more|need|way|limit|one\b)[a-z]+|\bthere (is|are) not\b|\bis none\b|, not (which|whose|how|what|another)\b/,
}

/** Sentences that match a rule but are easy to read. */
const EXCEPTIONS = ['For example:', 'For all commands:', 'For administrators of this service.']

const FILES = ['*.md', '*.ts', '*.tsx', '*.mjs']
const GENERATED = /REFERENCE\.md|\.api\.md|CODE_OF_CONDUCT|generated|^scripts\/check-words/

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...FILES], {
  cwd: root,
  encoding: 'utf8',
})
const findings = listed
  .split('\n')
  .filter((file) => file !== '' && !GENERATED.test(file))
  .flatMap((file) => textsOf(file).flatMap((text) => findingsIn(file, text)))
for (const finding of findings) process.stderr.write(`${finding}\n`)
if (findings.length > 0) process.exitCode = 1

function textsOf(file) {
  const content = readFileSync(join(root, file), 'utf8')
  if (file.endsWith('.md')) return content.replace(/```.*?```/gs, '').split(/\n\s*\n|\n(?=[-|#\d])/)
  const all = (pattern, group) => Array.from(content.matchAll(pattern), (match) => match[group])
  const docs = all(/\/\*\*?(.*?)\*\//gs, 1).flatMap((text) =>
    text.replace(/^\s*\*+ ?/gm, '').split(/\n\s*\n|\n(?=@|- )/),
  )
  const comments = all(/(?:^[ \t]*\/\/.*\n)+/gm, 0).map((text) => text.replace(/^\s*\/\/ ?/gm, ''))
  const titles = all(/\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`])(.*?)\1/gs, 2)
  const isTest = /\btest\b|\.test\./.test(file)
  const strings = isTest ? [] : all(/(['`])([A-Z][a-z]* (?:(?!\1)[^\n\\]|\\.){12,})\1/g, 2)
  return [...docs, ...comments, ...titles, ...strings]
}

function findingsIn(file, text) {
  const sentences = text
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?])\s+/)
  return sentences.flatMap((sentence) =>
    EXCEPTIONS.some((exception) => sentence.includes(exception))
      ? []
      : Object.entries(RULES).flatMap(([name, rule]) => {
          const found = rule.exec(sentence)?.[0]
          return found === undefined ? [] : [`${file}: ${name}, "${found}": ${sentence.slice(0, 140)}`]
        }),
  )
}
