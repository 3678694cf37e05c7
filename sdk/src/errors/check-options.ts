import { type Issue, ValidationError } from './fish-crab-error.ts'

/** Every option of an object by its name. */
export type OptionNames<Options = Record<string, unknown>> = Readonly<Record<keyof Options, true>>

/** Refuses what is no object of options. @throws ValidationError that lists the options there are */
export function requireOptions(given: unknown, known: OptionNames): void {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return
  const message = `Must be an object with any of: ${Object.keys(known).join(', ')}.`
  throw new ValidationError([{ path: 'options', message }])
}

/** Refuses what is no object of options, and unknown options. @throws ValidationError */
export function checkOptions(given: object, known: OptionNames): void {
  requireOptions(given, known)
  const issues = unknownOptions(given, known)
  if (issues.length > 0) throw new ValidationError(issues)
}

/** An issue for each unknown option. Otherwise a mistyped option would be ignored silently. */
export function unknownOptions(given: object, known: OptionNames): Issue[] {
  const names = Object.keys(known)
  return Object.entries(given).flatMap(([path, value]) => {
    if (value === undefined || Object.hasOwn(known, path)) return []
    const lower = path.toLowerCase()
    const meant =
      names.find((name) => isNear(name.toLowerCase(), lower)) ??
      names.find((name) => lower.length >= SHORTEST_BEGINNING && name.toLowerCase().startsWith(lower))
    return [{ path, message: `Unknown option.${meant ? ` Did you mean ${meant}?` : ''}` }]
  })
}

const SHORTEST_BEGINNING = 3

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
