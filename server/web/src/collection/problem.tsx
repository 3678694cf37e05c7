import type { Problem } from '../data/follow.ts'
import { Time } from '../parts/time.tsx'
import { problemsTexts } from '../texts/problems.tsx'

interface ProblemNoticeProps {
  readonly problem: Problem
  /** The time at which the shown collection was current, in Unix milliseconds. Absent if no collection is shown. */
  readonly updatedAt?: number | undefined
  readonly onRetry: () => void
}

/**
 * Reports why the collection is not up to date, and the next step. A rate limit has no button: the server would refuse
 * the request, and the page loads by itself as soon as the limit ends.
 */
export function ProblemNotice({ problem, updatedAt, onRetry }: ProblemNoticeProps) {
  const { title, reason } = problemsTexts.causes[problem.kind]
  return (
    <div class="notice problem" role="status">
      <div>
        <strong>{title}</strong>
        <p>
          {reason} {problemsTexts.next(problem)}{' '}
          {problem.kind === 'failed' && problem.requestId !== undefined && problemsTexts.requestId(problem.requestId)}{' '}
          {updatedAt !== undefined && problemsTexts.asOf(<Time at={updatedAt} format="time" />)}
        </p>
      </div>
      {problem.kind !== 'limited' && problem.kind !== 'offline' && (
        <button type="button" onClick={onRetry}>
          {problemsTexts.retry}
        </button>
      )}
    </div>
  )
}
