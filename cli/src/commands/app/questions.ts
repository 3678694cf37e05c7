import type { AppQuestion } from '../../../../server/web/src/player-app/api-types.ts'

interface Waiting {
  readonly question: AppQuestion
  readonly settle: (reply: string | undefined) => void
}

/** The questions of operations, which the page shows one after another. */
export class Questions {
  readonly #onChange: (first: AppQuestion | null) => void
  #waiting: readonly Waiting[] = []
  #lastId = 0

  /** @param onChange called with the question that the page shows */
  constructor(onChange: (first: AppQuestion | null) => void) {
    this.#onChange = onChange
  }

  /** Returns the reply, or `undefined` if the player cancels the question or the signal aborts. */
  ask(question: Omit<AppQuestion, 'id'>, signal: AbortSignal): Promise<string | undefined> {
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve) => {
      const cancel = () => this.#settle(id, undefined)
      const settle = (reply: string | undefined) => {
        signal.removeEventListener('abort', cancel)
        resolve(reply)
      }
      if (signal.aborted) return resolve(undefined)
      signal.addEventListener('abort', cancel)
      this.#change([...this.#waiting, { question: { id, ...question }, settle }])
    })
  }

  /** @param text `null` cancels the question */
  reply(id: number, text: string | null): void {
    this.#settle(id, text ?? undefined)
  }

  #settle(id: number, reply: string | undefined): void {
    const found = this.#waiting.find(({ question }) => question.id === id)
    this.#change(this.#waiting.filter((one) => one !== found))
    found?.settle(reply)
  }

  #change(waiting: readonly Waiting[]): void {
    this.#waiting = waiting
    this.#onChange(waiting[0]?.question ?? null)
  }
}
