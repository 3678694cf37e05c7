import { useLayoutEffect, useRef } from 'preact/hooks'
import type { AppQuestion } from './api-types.ts'
import type { Connection } from './connection.ts'
import { ProblemText, useAppTask } from './parts.tsx'

interface QuestionProps {
  readonly question: AppQuestion
  readonly request: Connection['request']
}

/** A question of an operation, which continues after the reply. */
export function Question({ question: { id, text, about, kind, choices }, request }: QuestionProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const { isBusy, problem, run } = useAppTask()
  useLayoutEffect(() => (field.current ?? heading.current)?.focus(), [])
  const reply = (reply: string | null) =>
    run(async () => {
      await request('reply', { id, reply })
    })
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    void reply(String(new FormData(event.currentTarget as HTMLFormElement).get('reply') ?? ''))
  }
  const button = (name: string, value: string | null, style?: string) => (
    <button key={name} type="button" class={style} aria-disabled={isBusy} onClick={() => reply(value)}>
      {name}
    </button>
  )
  return (
    <section class="question panel" aria-label="Question">
      {about.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <h2 ref={heading} tabIndex={-1}>
        {kind === 'secret' ? <label for="reply">{text}</label> : text}
      </h2>
      {problem && <ProblemText problem={problem} />}
      {kind === 'secret' ? (
        <form class="form" onSubmit={send}>
          <div class="field">
            <input ref={field} id="reply" name="reply" type="password" autocomplete="current-password" required />
          </div>
          <div class="actions">
            <button type="submit" class="primary" aria-disabled={isBusy}>
              Continue
            </button>
            {button('Cancel', null)}
          </div>
        </form>
      ) : (
        <div class="actions">
          {kind === 'confirm' ? (
            <>
              {button('Yes', 'yes', 'primary')}
              {button('No', null)}
            </>
          ) : (
            <>
              {choices.map((choice) => button(choice, choice))}
              {button('Cancel', null)}
            </>
          )}
        </div>
      )}
    </section>
  )
}
