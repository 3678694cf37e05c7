// Finds texts of the pages for players that do not stand in server/web/src/texts: content and labels of elements, and
// sentences.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const FOLDERS = ['collection', 'overlay', 'overlay-setup', 'login', 'parts', 'data']
const LABELS = /^(aria-label|aria-description|title|placeholder|alt|label|legend|action)$/
const SENTENCE = /^\P{L}*\p{Lu}\p{Ll}* \p{L}+ \p{L}/u

/** Texts that no visitor reads, and texts of the program for players. */
const EXCEPTIONS = ['Leviathan of', 'parts/login-file.ts']

function textsIn(file) {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true, kind)
  const found = new Map()
  const add = (node, text) => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
    if (/\p{L}/u.test(text)) found.set(node, `${file}:${line}: ${text.trim()}`)
  }
  // The texts that an expression can have as its value.
  const addValues = (node) => {
    if (!node) return
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) add(node, lettersOf(node))
    else if (ts.isJsxExpression(node) || ts.isParenthesizedExpression(node)) addValues(node.expression)
    else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(addValues)
    else if (ts.isBinaryExpression(node)) {
      const { kind } = node.operatorToken
      if (kind === ts.SyntaxKind.AmpersandAmpersandToken) addValues(node.right)
      else if (kind === ts.SyntaxKind.BarBarToken || kind === ts.SyntaxKind.QuestionQuestionToken)
        [node.left, node.right].forEach(addValues)
    }
  }
  const visit = (node) => {
    if (ts.isJsxText(node)) add(node, node.text)
    else if (ts.isJsxElement(node) || ts.isJsxFragment(node))
      node.children.filter(ts.isJsxExpression).forEach(addValues)
    else if (ts.isJsxAttribute(node) && LABELS.test(node.name.getText())) addValues(node.initializer)
    else if ((ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) && SENTENCE.test(lettersOf(node)))
      add(node, lettersOf(node))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...found.values()].filter((text) => !EXCEPTIONS.some((exception) => text.includes(exception)))
}

/** The text of a literal, without the values inside a template. */
function lettersOf(node) {
  return ts.isTemplateExpression(node)
    ? node.head.text + node.templateSpans.map(({ literal }) => literal.text).join('')
    : node.text
}

const patterns = FOLDERS.flatMap((folder) => [`server/web/src/${folder}/*.ts`, `server/web/src/${folder}/*.tsx`])
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
  cwd: root,
  encoding: 'utf8',
})
const texts = files.trim().split('\n').flatMap(textsIn)
for (const text of texts) process.stderr.write(`${text}\n`)
if (texts.length > 0) process.exitCode = 1
