import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** The names that a declaration file exports. */
export interface Declarations {
  /** Names of values, which exist at run time. */
  readonly values: readonly string[]
  /** Names of types, which exist only at compile time. */
  readonly types: readonly string[]
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  // The types of Node are not loaded. The standard library of ES2022 lacks the types of `await using`.
  types: [],
  lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
}

/** Compiles declaration files of the build with the options of a typical user. */
export function readDeclarations(files: readonly string[]) {
  const pathOf = (file: string) => fileURLToPath(new URL(`../dist/${file}`, import.meta.url))
  const program = ts.createProgram(files.map(pathOf), OPTIONS)
  const checker = program.getTypeChecker()
  return {
    errors(): string[] {
      return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
        return `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
      })
    },
    of(file: string): Declarations {
      const source = program.getSourceFile(pathOf(file))
      const module = source && checker.getSymbolAtLocation(source)
      const exported = module ? checker.getExportsOfModule(module) : []
      const names = (areValues: boolean) =>
        exported.filter((symbol) => isValue(checker, symbol) === areValues).map(({ name }) => name)
      return { values: names(true).sort(), types: names(false).sort() }
    },
  }
}

function isValue(checker: ts.TypeChecker, symbol: ts.Symbol): boolean {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return (target.flags & ts.SymbolFlags.Value) !== 0
}
