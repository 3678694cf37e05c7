import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Problem } from '../data/follow.ts'
import { formatDuration, formatTime } from '../parts/format.ts'

/** Counts down every second, for eyes only: screen readers get the time once. */
function Countdown({ until }: { readonly until: number }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      <span class="countdown" aria-hidden="true">
        in {formatDuration(until - now)}
      </span>
      <span class="visually-hidden">at {formatTime(until)}</span>
    </>
  )
}

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
  /** When what is shown was current, in Unix milliseconds; absent if nothing is shown. */
  readonly updatedAt: number | undefined
  readonly onRetry: () => void
}

/** Says why the collection is not up to date, and what happens next. */
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
