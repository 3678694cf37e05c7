/**
 * The arguments that a shell passes to `fish-cli` for a line, or `undefined` if the line does not run `fish-cli`.
 * Supports only double quotes, pipes and `>`, because the examples use no other syntax.
 */
export function wordsFor(line: string): readonly string[] | undefined {
  const words = (line.match(/"[^"]*"|[|>]|[^\s|>"]+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, '$1'))
  const start = words.indexOf('fish-cli')
  if (start === -1) return undefined
  const rest = words.slice(start + 1)
  const end = rest.findIndex((word) => word === '|' || word === '>')
  return end === -1 ? rest : rest.slice(0, end)
}
