/** Types that users of the package fill in or implement: a new required member breaks them. */
const GIVEN_BY_USERS =
  /\b(?:interface|type) \w*(?:Options|Input|Fields|Driver|Storage|Extension|Hooks|Logger|Hasher|Clock)\b/

/**
 * The lines of two API reports that break users of the earlier version: removed lines, the old form of changed lines, and
 * members that users now have to provide.
 */
export function breaksBetween(before: string, now: string): string[] {
  const [earlier, later] = [declarationsIn(before), declarationsIn(now)]
  return [...earlier].flatMap(([declaration, lines]) => {
    const current = later.get(declaration)
    if (!current) return [`- ${declaration}`]
    const required = GIVEN_BY_USERS.test(declaration) ? without(current, lines).filter(isRequired) : []
    return [
      ...without(lines, current).map((line) => `- ${declaration} ${line}`),
      ...required.map((line) => `+ ${declaration} ${line}`),
    ]
  })
}

/** Whether a version may break users of another: a new major one, before 1.0.0 a new minor one (Semantic Versioning, 4). */
export function isBreakingVersion(previous: string, next: string): boolean {
  const [major = 0, minor = 0] = previous.split('.').map(Number)
  const [nextMajor = 0, nextMinor = 0] = next.split('.').map(Number)
  return nextMajor > major || (major === 0 && nextMajor === 0 && nextMinor > minor)
}

/** Maps the first line of each declaration to its other lines. Comments are not part of the types. */
function declarationsIn(report: string): Map<string, string[]> {
  const [, code = ''] = report.split('```ts\n')
  const declarations = new Map<string, string[]>()
  let lines: string[] = []
  for (const line of code.split('\n')) {
    const text = line.trim()
    if (text === '' || text === '```' || text.startsWith('//')) continue
    if (/^\w/.test(line)) {
      lines = []
      declarations.set(text, lines)
    } else {
      lines.push(text)
    }
  }
  return declarations
}

/** The lines of a list that another list lacks. Duplicates count separately. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return lines.filter((line) => {
    const at = left.indexOf(line)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

const isRequired = (line: string) => /^(?:readonly )?\w+[:(<]/.test(line)
