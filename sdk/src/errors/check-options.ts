import { closestWord } from '../internal/closest-word.ts'
import { type Issue, throwIssues, ValidationError } from './fish-crab-error.ts'

/** The names of all options. */
export type OptionNames<Options = Record<string, unknown>> = Readonly<Record<keyof Options, true>>

/** Rejects anything but an options object. @throws ValidationError that lists the available options */
export function assertOptions(given: unknown, known: OptionNames): void {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return
  const message = `Must be an object with any of: ${Object.keys(known).join(', ')}.`
  throw new ValidationError([{ path: 'options', message }])
}

/** Rejects anything but an options object, and unknown options. @throws ValidationError */
export function checkOptions(given: object, known: OptionNames): void {
  assertOptions(given, known)
  const issues = unknownOptions(given, known)
  throwIssues(issues)
}

/** An issue for each unknown option. Otherwise a mistyped option would be ignored silently. */
export function unknownOptions(given: object, known: OptionNames): Issue[] {
  const names = Object.keys(known)
  return Object.entries(given).flatMap(([path, value]) => {
    if (value === undefined || Object.hasOwn(known, path)) return []
    const meant = closestWord(path, names)
    return [{ path, message: `Unknown option.${meant ? ` Did you mean ${meant}?` : ''}` }]
  })
}
