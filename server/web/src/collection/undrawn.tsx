import { useEffect } from 'preact/hooks'
import type { PageProblem } from '../../../src/page-data.ts'
import { problemsTexts } from '../texts/problems.tsx'
import { ProblemNotice } from './problem.tsx'

/** A page that the server could not draw. The page loads again when the server can. */
export function UndrawnPage({ problem }: { readonly problem: PageProblem }) {
  const { retryAt } = problem
  useEffect(() => {
    const timer = setTimeout(() => location.reload(), Math.max(0, retryAt - Date.now()))
    return () => clearTimeout(timer)
  }, [retryAt])
  return (
    <>
      <h1>{problemsTexts.undrawn}</h1>
      <ProblemNotice problem={problem} onRetry={() => location.reload()} />
    </>
  )
}
