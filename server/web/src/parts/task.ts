import { useRef, useState } from 'preact/hooks'

/**
 * Runs the action of a button, and ignores further presses until the action ends.
 * @param describe returns the problem to show for an error of the action, or `undefined` to show none
 */
export function useTask<Problem>(describe: (error: unknown) => Problem | undefined) {
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
      setProblem(() => describe(error))
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }

  return { isBusy, problem, run, clearProblem: () => setProblem(undefined) }
}
