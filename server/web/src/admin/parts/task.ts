import { useTask } from '../../parts/task.ts'
import { type ProblemOptions, problemOf } from '../data/problems.ts'
import { SignedOutError } from '../data/session.ts'

/**
 * Runs the action of a button of this page.
 * @param words the wording of the problems that the action causes
 */
export function useAdminTask(words: Omit<ProblemOptions, 'now'> = {}) {
  return useTask((error) =>
    error instanceof SignedOutError ? undefined : problemOf(error, { now: Date.now(), ...words }),
  )
}
