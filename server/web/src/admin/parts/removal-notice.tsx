import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { LeavePrompt } from '../../parts/leave-prompt.ts'
import { type Problem, problemOf } from '../data/problems.ts'
import type { RemovalState } from '../data/removals.ts'
import { SignedOutError } from '../data/session.ts'
import { ProblemText } from './problem-text.tsx'

interface RemovalNoticeProps extends Pick<RemovalState, 'current'> {
  readonly onUndo: () => void
}

/** Reports a removal until the service has removed the catches, and offers to undo it until the request is sent. */
export function RemovalNotice({ current, onUndo }: RemovalNoticeProps) {
  return (
    <div class={current ? 'notice done removal' : 'removal'}>
      <p role="status">
        {current && (
          <>
            <strong>Removed {current.removal.what}.</strong>
            {!current.isSent && ' If you leave this page now, it is not removed.'}
          </>
        )}
      </p>
      {current && <LeavePrompt />}
      {current && !current.isSent && <UndoButton key={current.removal} onUndo={onUndo} />}
    </div>
  )
}

/** The button takes the focus, because the button that removed the catches has disappeared. */
function UndoButton({ onUndo }: { readonly onUndo: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const element = button.current
    element?.focus({ preventScroll: true })
    return () => {
      const isFocused = document.activeElement === element
      if (isFocused) document.getElementById('content')?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <button ref={button} type="button" onClick={onUndo}>
      Undo
    </button>
  )
}

/** Reports why the service did not remove catches. */
export function RemovalProblem({ failure }: Pick<RemovalState, 'failure'>) {
  const problem = useMemo(() => failure && describe(failure), [failure])
  return problem ? <ProblemText problem={problem} /> : null
}

function describe({ removal: { what }, error }: NonNullable<RemovalState['failure']>): Problem {
  if (error instanceof SignedOutError) return { title: `${what} was not removed, because you signed out.` }
  const problem = problemOf(error, { now: Date.now(), ifUnknown: 'Check the list before you try again.' })
  return { ...problem, title: `Remove ${what}: ${problem.title}` }
}
