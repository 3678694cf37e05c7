import type { ComponentChildren } from 'preact'
import { useTask } from '../parts/task.ts'
import type { AppProblem } from './api-types.ts'
import { AppError } from './connection.ts'

/** Runs the action of a button. The problem is a text of the app. */
export function useAppTask() {
  return useTask((error): AppProblem => {
    if (error instanceof AppError) return error.problem
    return { message: 'This page has failed.', hint: 'Reload the page, and try again.' }
  })
}

interface ProblemTextProps {
  readonly problem: AppProblem
  /** The next step of the player. */
  readonly children?: ComponentChildren
}

export function ProblemText({ problem: { message, hint }, children }: ProblemTextProps) {
  return (
    <div class="notice problem" role="alert">
      <div>
        <strong>{message}</strong>
        {hint !== null && <p>{hint}</p>}
      </div>
      {children}
    </div>
  )
}

interface ActionProps {
  readonly text: string
  readonly busy: string
  readonly class?: string
  readonly onPress: () => Promise<void>
}

/** A button that shows that its action runs, and shows the problem of the action below itself. */
export function Action({ text, busy, onPress, ...rest }: ActionProps) {
  const { isBusy, problem, run } = useAppTask()
  return (
    <div class="action">
      <button type="button" aria-disabled={isBusy} onClick={() => run(onPress)} {...rest}>
        {isBusy ? busy : text}
      </button>
      {problem && <ProblemText problem={problem} />}
    </div>
  )
}
