/**
 * Matches types for which users provide values or implementations. A new required member of such a type breaks existing
 * code.
 */
const GIVEN_BY_USERS =
  /\b(?:interface|type) \w*(?:Options|Input|Fields|Driver|Storage|Extension|Hooks|Logger|Hasher|Clock)\b/

/**
 * Compares two API reports. Returns the lines that break users of the earlier version: removed lines, the old form of
 * changed lines, and new members that users have to provide.
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

/**
 * Whether `next` may contain breaking changes: it is a new major version, or a new minor version before 1.0.0 (Semantic
 * Versioning 2.0.0, item 4).
 */
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

/** Returns the lines that are missing from `others`. Each duplicate needs its own counterpart. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return lines.filter((line) => {
    const at = left.indexOf(line)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

const isRequired = (line: string) => /^(?:readonly )?\w+[:(<]/.test(line)
