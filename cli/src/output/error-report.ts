import type { ErrorReport } from '../core/errors.ts'
import { printable } from './text.ts'

/** A failure as the one JSON document of a command under `--json`: one line, so that it also ends lines of documents. */
export function reportJson(failure: ErrorReport): string {
  return `${JSON.stringify({ error: failure })}\n`
}

/** A failure for people: what happened, the next step, and what to name when asking for help. */
export function reportText({ message, hint, requestId }: Pick<ErrorReport, 'message' | 'hint' | 'requestId'>): string {
  const lines = message.split('\n').map(printable)
  return [
    `fish-cli: ${lines.join('\n')}`,
    ...(hint === null ? [] : [`  ${printable(hint)}`]),
    ...(requestId === null ? [] : [`  (request ${printable(requestId)})`]),
    '',
  ].join('\n')
}
