import { Countdown } from '../../parts/countdown.tsx'
import type { Problem } from '../data/problems.ts'

interface ProblemTextProps {
  readonly problem: Problem
  /** Tries again; absent where a form does. */
  readonly onRetry?: (() => void) | undefined
}

/** Says what went wrong and what to do. */
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
                The log of the server has it under the request id <code>{requestId}</code>.
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
