import type { ComponentChildren } from 'preact'
import type { Problem } from '../data/follow.ts'
import { Countdown } from '../parts/countdown.tsx'
import { formatTime } from '../parts/format.ts'

function describe(problem: Problem): readonly [title: string, text: ComponentChildren] {
  switch (problem.kind) {
    case 'limited':
      return [
        'Too many requests',
        <>
          This server limits how often your network may ask. Loading again <Countdown until={problem.retryAt} />.
        </>,
      ]
    case 'offline':
      return ['You are offline', 'This page continues by itself when the network is back.']
    case 'unreachable':
      return [
        'Reconnecting',
        <>
          The server does not respond. Trying again <Countdown until={problem.retryAt} />.
        </>,
      ]
    case 'failed':
      return [
        'The server has a problem',
        <>
          Trying again <Countdown until={problem.retryAt} />.
          {problem.requestId !== undefined && (
            <>
              {' '}
              If this goes on, tell the owner of this server the request id <code>{problem.requestId}</code>.
            </>
          )}
        </>,
      ]
  }
}

interface ProblemNoticeProps {
  readonly problem: Problem
  /** The time at which the shown collection was current, in Unix milliseconds. Absent if no collection is shown. */
  readonly updatedAt: number | undefined
  readonly onRetry: () => void
}

/** Reports why the collection is not up to date, and the next step. */
export function ProblemNotice({ problem, updatedAt, onRetry }: ProblemNoticeProps) {
  const [title, text] = describe(problem)
  return (
    <div class="notice problem" role="status">
      <div>
        <strong>{title}</strong>
        <p>
          {text} {updatedAt !== undefined && `This is the collection as of ${formatTime(updatedAt)}.`}
        </p>
      </div>
      {(problem.kind === 'unreachable' || problem.kind === 'failed') && (
        <button type="button" onClick={onRetry}>
          Try now
        </button>
      )}
    </div>
  )
}
