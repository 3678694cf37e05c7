import { RateLimitError } from '@fish-crab/sdk'
import type { FlushReport, Outbox, OutboxEvent } from '@fish-crab/sdk/outbox'
import { catchesText, waitingText } from '../core/amounts.ts'
import { commandLine } from '../core/argv.ts'
import { describeError, rejectionText } from '../core/describe-error.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { type Progress, waitText } from '../terminal/progress.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Session } from './session.ts'
import { serviceWords, suggestOutbox } from './target.ts'

export interface FlushOptions {
  /** Hint after an interruption. @default the command that sends the catches */
  readonly resume?: string | undefined
}

/**
 * Flushes the outbox, and shows the progress and any waits on stderr.
 * @throws CliError `interrupted` with the number of
 * waiting catches
 */
export async function flushWithProgress(
  session: Session,
  outbox: Outbox,
  { resume }: FlushOptions = {},
): Promise<FlushReport> {
  const { maxWaitMs, signal, terminal } = session
  const { pending: total } = await outbox.status()
  const showWait = createWaitListener(terminal)
  let progress: Progress | undefined
  const unsubscribe = outbox.subscribe((event) => {
    // Progress starts with the first batch, because a wait before the first batch would distort the rate.
    if (event.type === 'sending') progress ??= terminal.progress({ unit: 'catches', total })
    showWait(event)
  })
  try {
    return await outbox.flush({
      signal,
      ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
      onProgress: ({ delivered, rejected }) => progress?.update(delivered + rejected),
    })
  } catch (error) {
    throw signal.aborted ? await interruptedError(session, outbox, resume) : error
  } finally {
    progress?.end()
    unsubscribe()
  }
}

export function mergeReports(before: readonly FlushReport[], last: FlushReport): FlushReport {
  const all = [...before, last]
  return {
    ...last,
    delivered: all.reduce((sum, { delivered }) => sum + delivered, 0),
    rejected: all.reduce((sum, { rejected }) => sum + rejected, 0),
    deadLetters: all.flatMap(({ deadLetters }) => deadLetters),
  }
}

export function createWaitListener(terminal: Terminal) {
  const { start, stop } = terminal.countdown()
  return (event: OutboxEvent) => {
    if (event.type === 'waiting' && event.error instanceof RateLimitError) start(event.until.getTime(), waitText)
    if (event.type === 'sending') stop()
  }
}

export async function interruptedError(
  session: Session,
  outbox: Outbox,
  resume = `Send the catches: ${flushCommand(session)}`,
): Promise<CliError> {
  const { pending: count, rejected } = await outbox.status()
  const waiting = count > 0 || rejected === 0 ? [count === 0 ? 'Nothing is left to send.' : waitingText(count)] : []
  const refused = rejected === 0 ? [] : [`${catchesText(rejected)} rejected.`]
  const message = ['Interrupted.', ...waiting, ...refused].join(' ')
  const hints = [...(count === 0 ? [] : [resume]), ...(rejected === 0 ? [] : [rejectedHelp(session)])]
  return new CliError({ code: 'interrupted', message, hint: hints.length === 0 ? null : hints, exit: EXIT.interrupted })
}

function flushCommand({ target }: Session): string {
  return suggestOutbox(target, '--send')
}

export function rejectedHelp({ target }: Session): string {
  return `See the reasons: ${suggestOutbox(target)}`
}

/** @throws CliError if delivery stopped, with the reason and the number of waiting catches */
export function flushStatus(session: Session, report: FlushReport): typeof EXIT.ok | typeof EXIT.partly {
  const { terminal } = session
  const { delivered, remaining, deadLetters, stopped, withoutClient } = report
  for (const { count, reason } of deadLetters)
    terminal.note(`fish-cli: ${catchesText(count)} rejected: ${rejectionText(reason)}`)
  const [first] = stopped
  if (first) {
    if (delivered > 0) terminal.note(`fish-cli: ${delivered} sent.`)
    throw waitingError(session, first.error, remaining)
  }
  if (deadLetters.length > 0) terminal.note(`fish-cli: ${rejectedHelp(session)}`)
  if (withoutClient.length > 0)
    terminal.note(
      `fish-cli: Catches of other players are still waiting. Send them: ${commandLine('outbox', '--send', '--user', 'USER', ...serviceWords(session.target))}`,
    )
  return deadLetters.length > 0 ? EXIT.partly : EXIT.ok
}

/**
 * Reports that the catches are waiting, so that users do not add the same catches again, which would store the catches
 * twice.
 */
function waitingError(session: Session, error: unknown, remaining: number): CliError {
  const command = flushCommand(session)
  const { code, message, hint, exit, retryAt, requestId } = describeError(error)
  return new CliError({
    code,
    message: `${message} ${waitingText(remaining)}`,
    hint: hint === null ? `Send the catches: ${command}` : [...hint.split('\n'), `Then send the catches: ${command}`],
    exit,
    retryAt,
    requestId,
  })
}
