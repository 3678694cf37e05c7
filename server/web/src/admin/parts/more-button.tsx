import { useRef, useState } from 'preact/hooks'
import { type Problem, problemOf } from '../data/problems.ts'
import { SignedOutError } from '../data/session.ts'
import { ProblemText } from './problem-text.tsx'

interface MoreButtonProps {
  readonly label: string
  readonly load: () => Promise<void>
}

/** Loads what comes next in a list, once for each press. */
export function MoreButton({ label, load }: MoreButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const isRunning = useRef(false)
  const run = async () => {
    if (isRunning.current) return
    isRunning.current = true
    setBusy(true)
    setProblem(undefined)
    try {
      await load()
    } catch (error) {
      if (!(error instanceof SignedOutError)) setProblem(problemOf(error, { now: Date.now() }))
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }
  return (
    <div class="more">
      {problem && <ProblemText problem={problem} />}
      <button type="button" aria-disabled={isBusy} onClick={run}>
        {isBusy ? 'Loading…' : label}
      </button>
    </div>
  )
}
