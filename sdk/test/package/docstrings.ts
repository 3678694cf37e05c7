import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** The entries of the package and their sources. */
const ENTRIES: Readonly<Record<string, string>> = {
  '@fish-crab/sdk': 'sdk/src/index.ts',
  '@fish-crab/sdk/constants': 'sdk/src/constants.ts',
  '@fish-crab/sdk/contract': 'sdk/src/contract/index.ts',
  '@fish-crab/sdk/fernet': 'sdk/src/fernet/index.ts',
  '@fish-crab/sdk/chat': 'sdk/src/chat/index.ts',
  '@fish-crab/sdk/admin': 'sdk/src/admin/index.ts',
  '@fish-crab/sdk/outbox': 'sdk/src/outbox/index.ts',
}

/** The code of one `@example`. */
export interface Example {
  /** Path of the file within the project. */
  readonly file: string
  /** Line of the tag, starting at 1. The code begins on the line of the tag. */
  readonly line: number
  readonly code: string
  /** The values that the file exports. */
  readonly own: readonly string[]
}

/** A name that users import, with its docstring. */
export interface PublicName {
  readonly name: string
  readonly entry: string
  readonly isFunction: boolean
  /** Whether the name is a type that has no value at run time. */
  readonly isType: boolean
  readonly doc: string
  readonly hasExample: boolean
}

/** Loads the sources of all entries with the compiler options of the project. */
export function readProject(): ts.Program {
  return ts.createProgram(
    Object.values(ENTRIES).map((file) => ROOT + file),
    compilerOptions(),
  )
}

/** Every name that an entry exports. */
export function publicNames(program: ts.Program): PublicName[] {
  const checker = program.getTypeChecker()
  return Object.entries(ENTRIES).flatMap(([entry, file]) => {
    const source = program.getSourceFile(ROOT + file)
    const module = source && checker.getSymbolAtLocation(source)
    return (module ? checker.getExportsOfModule(module) : []).map((exported) => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      return {
        name: exported.name,
        entry,
        isType: (symbol.flags & ts.SymbolFlags.Value) === 0,
        isFunction: (symbol.flags & ts.SymbolFlags.Function) !== 0,
        doc: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
        hasExample: symbol.getJsDocTags(checker).some(({ name }) => name === 'example'),
      }
    })
  })
}

/** Every `@example` in these files. */
export function examplesIn(files: readonly string[]): Example[] {
  return files.flatMap((path) => {
    const text = readFileSync(path, 'utf8')
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    const place = { file: relative(ROOT, path), own: exportedValues(source) }
    return [...exampleTags(source)].map((tag) => ({
      ...place,
      line: source.getLineAndCharacterOfPosition(tag.getStart()).line + 1,
      code: text.slice(tag.tagName.end, tag.end).replace(/^[ \t]*\*(?:\/$| ?)/gm, ''),
    }))
  })
}

/**
 * Returns the `@example` tags of a node and its descendants, without duplicates: the compiler finds a tag on several
 * nodes of a statement.
 */
function exampleTags(node: ts.Node, found = new Set<ts.JSDocTag>()): Set<ts.JSDocTag> {
  for (const doc of ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)) {
    for (const tag of doc.tags ?? []) if (tag.tagName.text === 'example') found.add(tag)
  }
  ts.forEachChild(node, (child) => void exampleTags(child, found))
  return found
}

function exportedValues(source: ts.SourceFile): string[] {
  return source.statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) return statement.name?.text ?? []
    return ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map(({ name }) => name.getText(source))
      : []
  })
}

/**
 * Compiles each example as a separate module with the declarations in `globals`, and returns the errors with file and
 * line.
 * @param project program whose parsed files are reused
 */
export function checkExamples(project: ts.Program, examples: readonly Example[], globals: string): string[] {
  const modules = new Map(examples.map((example) => [`${ROOT}${example.file}.${example.line}.example.ts`, example]))
  const texts = new Map([...modules].map(([path, example]) => [path, `${example.code}\n${importOwn(example)}`]))
  const globalsPath = `${ROOT}sdk/globals.example.d.ts`
  texts.set(globalsPath, globals)
  const host = ts.createCompilerHost(compilerOptions(), true)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (path) => texts.has(path) || fileExists(path)
  host.readFile = (path) => texts.get(path) ?? readFile(path)
  host.getSourceFile = (path, version, ...rest) => {
    const text = texts.get(path)
    if (text !== undefined) return ts.createSourceFile(path, text, version, true)
    return project.getSourceFile(path) ?? getSourceFile(path, version, ...rest)
  }
  const program = ts.createProgram([...texts.keys()], compilerOptions(), host)
  return [...texts.keys()].flatMap((path) => {
    const source = program.getSourceFile(path)
    const found = source ? [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)] : []
    return found.map(({ start = 0, messageText }) => {
      const example = modules.get(path)
      const line = (example?.line ?? 1) + (source?.getLineAndCharacterOfPosition(start).line ?? 0)
      return `${example?.file ?? 'globals'}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    })
  })
}

/** Imports the exports of its own file into an example. An import at the end does not shift line numbers. */
function importOwn({ file, own, code }: Example): string {
  // Skip the names that the example already imports.
  const imported = [...code.matchAll(/^import \{([^}]*)\}/gm)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  )
  const missing = own.filter((name) => !imported.includes(name))
  return `export {}\nimport { ${missing.join(', ')} } from './${basename(file)}'\n`
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile)
  return ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT).options
}
