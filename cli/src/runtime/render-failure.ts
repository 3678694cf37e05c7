import type { Failure } from '../core/failure.ts'
import { printable } from '../output/text.ts'

/** A failure as the one JSON document of a command under `--json`: one line, so that it also ends lines of documents. */
export function failureJson(failure: Failure): string {
  return `${JSON.stringify({ error: failure })}\n`
}

/** A failure for people: what happened, the next step, and what to name when asking for help. */
export function failureText({ message, hint, requestId }: Pick<Failure, 'message' | 'hint' | 'requestId'>): string {
  const lines = message.split('\n').map(printable)
  return [
    `fish-cli: ${lines.join('\n')}`,
    ...(hint === null ? [] : [`  ${printable(hint)}`]),
    ...(requestId === null ? [] : [`  (request ${printable(requestId)})`]),
    '',
  ].join('\n')
}
