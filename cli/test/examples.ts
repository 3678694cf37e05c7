/**
 * The words that a shell would give `fish-cli` where a line runs it, alone or among other programs; `undefined` where
 * it does not. Knows double quotes, pipes and `>`, which is all that examples use.
 */
export function wordsFor(line: string): readonly string[] | undefined {
  const words = (line.match(/"[^"]*"|[|>]|[^\s|>"]+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, '$1'))
  const start = words.indexOf('fish-cli')
  if (start === -1) return undefined
  const rest = words.slice(start + 1)
  const end = rest.findIndex((word) => word === '|' || word === '>')
  return end === -1 ? rest : rest.slice(0, end)
}
