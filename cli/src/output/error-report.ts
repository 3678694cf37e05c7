import type { ErrorReport } from '../core/errors.ts'
import { printable } from './text.ts'

/** An error as the JSON document of `--json`. It is one line, so that it can also end JSON lines. */
export function reportJson(failure: ErrorReport): string {
  return `${JSON.stringify({ error: failure })}\n`
}

/** An error as text: message, hint, and the request id for support. */
export function reportText({ message, hint, requestId }: Pick<ErrorReport, 'message' | 'hint' | 'requestId'>): string {
  const lines = message.split('\n').map(printable)
  return [
    `fish-cli: ${lines.join('\n')}`,
    ...(hint === null ? [] : [`  ${printable(hint)}`]),
    ...(requestId === null ? [] : [`  (request ${printable(requestId)})`]),
    '',
  ].join('\n')
}
