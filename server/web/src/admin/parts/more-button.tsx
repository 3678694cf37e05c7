import { ProblemText } from './problem-text.tsx'
import { useAdminTask } from './task.ts'

interface MoreButtonProps {
  readonly label: string
  readonly load: () => Promise<void>
}

/** Loads the next part of a list. */
export function MoreButton({ label, load }: MoreButtonProps) {
  const { isBusy, problem, run } = useAdminTask()
  return (
    <div class="more">
      {problem && <ProblemText problem={problem} />}
      <button type="button" aria-disabled={isBusy} onClick={() => run(load)}>
        {isBusy ? 'Loading…' : label}
      </button>
    </div>
  )
}
