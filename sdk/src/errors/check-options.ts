import { closestWord } from '../internal/closest-word.ts'
import { type Issue, throwIssues, ValidationError } from './fish-crab-error.ts'

/** An object with the names of all options; its values do not matter. */
export type OptionNames<Options = Record<string, unknown>> = Readonly<Record<keyof Options, unknown>>

/** Rejects unknown options, and values that are not an options object. @throws ValidationError */
export function checkOptions<Options>(given: Options, known: OptionNames<NoInfer<Options>>): void {
  throwIssues(optionIssues(given, known))
}

/**
 * Returns an issue for each unknown option. Otherwise, a mistyped option would be ignored silently.
 *
 * @throws ValidationError that lists the available options if `given` is not an options object
 */
export function optionIssues<Options>(given: Options, known: OptionNames<NoInfer<Options>>): Issue[] {
  const names = Object.keys(known)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ValidationError([{ path: 'options', message: `Must be an object with any of: ${names.join(', ')}.` }])
  }
  return Object.entries(given).flatMap(([path, value]) => {
    if (value === undefined || Object.hasOwn(known, path)) return []
    const meant = closestWord(path, names)
    return [{ path, message: `Unknown option.${meant ? ` Did you mean ${meant}?` : ''}` }]
  })
}
