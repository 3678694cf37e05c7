import type { Issue } from '../errors/validation-error.ts'

/** An issue for each unknown option. Otherwise a mistyped option would be ignored silently. */
export function unknownOptions(given: object, known: Readonly<Record<string, true>>): Issue[] {
  return Object.entries(given).flatMap(([path, value]) => {
    if (value === undefined || Object.hasOwn(known, path)) return []
    const meant = Object.keys(known).find((name) => isNear(name.toLowerCase(), path.toLowerCase()))
    return [{ path, message: `Unknown option.${meant ? ` Did you mean ${meant}?` : ''}` }]
  })
}

/** Whether two texts differ by one letter that is wrong, missing or too much, or by two that are exchanged. */
function isNear(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  const [a, b] = [one.slice(start), other.slice(start)]
  return (
    a.slice(1) === b.slice(1) ||
    a.slice(1) === b ||
    a === b.slice(1) ||
    (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2))
  )
}
