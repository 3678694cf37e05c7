import { useEffect, useState } from 'preact/hooks'
import type { PageProblem } from '../../../src/page-data.ts'
import { ProblemNotice } from './problem.tsx'
import { useServices } from './services.ts'

interface UndrawnPageProps {
  readonly title: string
  readonly problem: PageProblem
}

/** A page that the server could not draw. The page loads again when the server can, while somebody looks at it. */
export function UndrawnPage({ title, problem }: UndrawnPageProps) {
  const { context } = useServices()
  const [retryAt, setRetryAt] = useState(problem.retryAt)
  const { retryAfterMs } = problem
  useEffect(() => {
    setRetryAt(Date.now() + retryAfterMs)
    let stopWaiting = () => {}
    const reload = () => context.isOnline() && context.isVisible() && location.reload()
    const timer = setTimeout(() => {
      stopWaiting = context.onChange(reload)
      reload()
    }, retryAfterMs)
    return () => {
      clearTimeout(timer)
      stopWaiting()
    }
  }, [context, retryAfterMs])
  return (
    <>
      <div class="title-row">
        <h1>{title}</h1>
      </div>
      <ProblemNotice problem={{ ...problem, retryAt }} onRetry={() => location.reload()} />
    </>
  )
}
