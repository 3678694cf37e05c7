import type { Answer } from './answer.ts'

const AT_ONCE = 20

/** Sends so many requests, some at a time. */
export async function sendMany(count: number, send: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  while (answers.length < count) {
    const size = Math.min(AT_ONCE, count - answers.length)
    answers.push(...(await Promise.all(Array.from({ length: size }, send))))
  }
  return answers
}
