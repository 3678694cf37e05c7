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
  const { isBusy, problem, run } = useAppTask()
  useLayoutEffect(() => heading.current?.focus(), [])
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
    <section class="question panel" aria-labelledby="question">
      {about.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <h2 id="question" ref={heading} tabIndex={-1}>
        {text}
      </h2>
      {problem && <ProblemText problem={problem} />}
      {kind === 'secret' ? (
        <form class="form" onSubmit={send}>
          <div class="field">
            <input name="reply" type="password" autocomplete="current-password" aria-labelledby="question" required />
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
