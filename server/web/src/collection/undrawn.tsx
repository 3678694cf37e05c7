import { useEffect } from 'preact/hooks'
import type { PageProblem } from '../../../src/page-data.ts'
import { ProblemNotice } from './problem.tsx'

interface UndrawnPageProps {
  readonly title: string
  readonly problem: PageProblem
}

/** The clock of the reader may be ahead of that of the server. */
const SOONEST_MS = 5000

/** A page that the server could not draw. The page loads again when the server can. */
export function UndrawnPage({ title, problem }: UndrawnPageProps) {
  const { retryAt } = problem
  useEffect(() => {
    const timer = setTimeout(() => location.reload(), Math.max(SOONEST_MS, retryAt - Date.now()))
    return () => clearTimeout(timer)
  }, [retryAt])
  return (
    <>
      <div class="title-row">
        <h1>{title}</h1>
      </div>
      <ProblemNotice problem={problem} onRetry={() => location.reload()} />
    </>
  )
}
