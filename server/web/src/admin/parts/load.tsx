import { useCallback, useEffect, useState } from 'preact/hooks'
import { type Problem, problemOf } from '../data/problems.ts'
import { SignedOutError } from '../data/session.ts'
import { ProblemText } from './problem-text.tsx'

interface Loading<Content> {
  readonly key: string
  readonly content?: Content | undefined
  readonly problem?: Problem | undefined
  readonly isBusy: boolean
}

/** The content of a view, and functions to change it. */
export interface Loaded<Content> extends Omit<Loading<Content>, 'key'> {
  readonly reload: () => void
  /** Replaces the content. */
  readonly set: (content: Content) => void
}

/**
 * Loads the content of a view. Loads the content again when `key` changes and when a rate limit ends.
 * @param key identifies the content; content with an earlier key is never shown
 * @param initial the content to show until the first load ends
 */
export function useLoad<Content>(key: string, load: () => Promise<Content>, initial?: Content): Loaded<Content> {
  const [state, setState] = useState<Loading<Content>>({ key, content: initial, isBusy: true })
  const [attempt, setAttempt] = useState(0)
  const reload = useCallback(() => setAttempt((before) => before + 1), [])

  useEffect(() => {
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout> | undefined
    setState((before) => (before.key === key ? { ...before, isBusy: true } : { key, isBusy: true }))
    load().then(
      (content) => {
        if (isCurrent) setState({ key, content, isBusy: false })
      },
      (error: unknown) => {
        if (!isCurrent || error instanceof SignedOutError) return
        const now = Date.now()
        const problem = problemOf(error, { now })
        setState((before) => ({ ...before, key, problem, isBusy: false }))
        if (problem.retryAt !== undefined) timer = setTimeout(reload, Math.max(problem.retryAt - now, 1000))
      },
    )
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [key, attempt, reload])

  const current: Loading<Content> = state.key === key ? state : { key, isBusy: true }
  return {
    ...current,
    reload,
    set: (content) => setState((before) => (before.key === key ? { key, content, isBusy: false } : before)),
  }
}

interface LoadNoticeProps {
  readonly loaded: Omit<Loaded<unknown>, 'set'>
  /** A noun for the content, such as `the players`. */
  readonly what: string
}

/** Reports that content is loading, or why it could not be loaded. */
export function LoadNotice({ loaded, what }: LoadNoticeProps) {
  const { content, problem, isBusy, reload } = loaded
  if (problem) return <ProblemText problem={problem} onRetry={reload} />
  if (content !== undefined || !isBusy) return null
  return (
    <div aria-busy="true">
      <p class="visually-hidden" role="status">
        Loading {what}
      </p>
      <div class="placeholder" />
    </div>
  )
}
