import { Countdown } from '../../parts/countdown.tsx'
import type { Problem } from '../data/problems.ts'

interface ProblemTextProps {
  readonly problem: Problem
  /** Repeats the request. Forms omit this callback, because they have a button of their own. */
  readonly onRetry?: (() => void) | undefined
}

/** Shows a problem and the next step. */
export function ProblemText({ problem, onRetry }: ProblemTextProps) {
  const { title, next, retryAt, requestId } = problem
  return (
    <div class="notice problem" role="alert">
      <div>
        <strong>{title}</strong>
        {(next !== undefined || retryAt !== undefined || requestId !== undefined) && (
          <p>
            {next}
            {retryAt !== undefined && (
              <>
                {' '}
                Try again <Countdown until={retryAt} />.
              </>
            )}
            {requestId !== undefined && (
              <>
                {' '}
                Request id for the server log: <code>{requestId}</code>
              </>
            )}
          </p>
        )}
      </div>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}
