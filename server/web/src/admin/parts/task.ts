import { useRef, useState } from 'preact/hooks'
import { type Problem, type ProblemOptions, problemOf } from '../data/problems.ts'
import { SignedOutError } from '../data/session.ts'

/**
 * Runs the action of a button, and ignores further presses until the action ends.
 * @param words the wording of the problems that the action causes
 */
export function useTask(words: Omit<ProblemOptions, 'now'> = {}) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const isRunning = useRef(false)

  async function run(work: () => Promise<void>): Promise<void> {
    if (isRunning.current) return
    isRunning.current = true
    setBusy(true)
    setProblem(undefined)
    try {
      await work()
    } catch (error) {
      if (!(error instanceof SignedOutError)) setProblem(problemOf(error, { now: Date.now(), ...words }))
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }

  return { isBusy, problem, run, clearProblem: () => setProblem(undefined) }
}
