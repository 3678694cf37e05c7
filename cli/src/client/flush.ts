import { RateLimitError } from '@fish-crab/sdk'
import type { FlushReport, Outbox, OutboxEvent } from '@fish-crab/sdk/outbox'
import { type Target, targetWords } from '../config/target.ts'
import { commandLine } from '../core/command-line.ts'
import type { Context, Notes } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { duration } from '../core/time.ts'
import { createCountdown, createProgress, leaseText, type Progress, waitText } from '../output/progress.ts'
import { describeError } from './describe-error.ts'

export interface FlushOptions {
  /** Longest wait for the rate limit, in milliseconds. @default one window */
  readonly maxWaitMs?: number | undefined
  readonly signal: AbortSignal
  readonly target: Target
}

/** Shows progress and waits on stderr. @throws CliError `interrupted` with the number of catches left */
export async function flushWithProgress(
  context: Context,
  outbox: Outbox,
  { maxWaitMs, signal, target }: FlushOptions,
): Promise<FlushReport> {
  const total = await queuedIn(outbox)
  const showWait = createWaitListener(context)
  let progress: Progress | undefined
  const unsubscribe = outbox.subscribe((event) => {
    // Not earlier: a wait before the first batch says nothing about the rate.
    if (event.type === 'sending') progress ??= createProgress(context.line, context.clock, { unit: 'catches', total })
    showWait(event)
  })
  try {
    return await outbox.flush({
      signal,
      ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
      onProgress: ({ sent, dead }) => progress?.update(sent + dead),
    })
  } catch (error) {
    throw signal.aborted ? await interruptedError(outbox, target) : error
  } finally {
    progress?.end()
    unsubscribe()
  }
}

async function queuedIn(outbox: Outbox): Promise<number> {
  const { queued, frozen } = await outbox.status()
  return queued + frozen
}

export function mergeReports(before: readonly FlushReport[], last: FlushReport): FlushReport {
  const all = [...before, last]
  return {
    ...last,
    sent: all.reduce((sum, { sent }) => sum + sent, 0),
    dead: all.reduce((sum, { dead }) => sum + dead, 0),
    deadLetters: all.flatMap(({ deadLetters }) => deadLetters),
  }
}

export function createWaitListener({ line, clock }: Pick<Context, 'line' | 'clock'>) {
  const { start, stop } = createCountdown(line, clock)
  return (event: OutboxEvent) => {
    if (event.type === 'waiting' && event.error instanceof RateLimitError) start(event.until.getTime(), waitText)
    if (event.type === 'leased') start(event.until.getTime(), leaseText)
    if (event.type === 'sending') stop()
  }
}

export async function interruptedError(outbox: Outbox, target: Target): Promise<CliError> {
  const count = await queuedIn(outbox)
  const message = `Interrupted. ${count === 0 ? 'Nothing is queued.' : queuedText(count)}`
  const hint = count === 0 ? undefined : `Send them: ${flushCommand(target)}`
  return new CliError({ code: 'interrupted', message, hint, exit: EXIT.interrupted })
}

export function flushCommand(target: Target): string {
  return commandLine('outbox', 'flush', ...targetWords(target))
}

export const DEAD_LETTER_HELP = 'See fish-cli outbox status, then: fish-cli outbox retry, or drop.'

/** @throws CliError what stopped the delivery, and how many catches stay queued */
export function flushStatus(
  context: Context & Notes,
  report: FlushReport,
  target: Target,
): typeof EXIT.ok | typeof EXIT.partly {
  const { sent, left, deadLetters, stopped, leased, withoutClient } = report
  for (const { count, reason } of deadLetters)
    context.note(`fish-cli: ${catchesText(count)} rejected: ${reason.message}`)
  const [first] = stopped
  if (first) {
    if (sent > 0) context.note(`fish-cli: ${sent} sent.`)
    throw queuedError(first.error, left, target)
  }
  if (deadLetters.length > 0) context.note(`fish-cli: ${DEAD_LETTER_HELP}`)
  if (leased.length > 0) {
    const free = duration(Math.max(...leased.map(({ until }) => until.getTime())) - context.clock.now())
    context.note(
      `fish-cli: Another process is sending the rest. If it was killed, these can be sent in ${free}: ${flushCommand(target)}`,
    )
  }
  if (withoutClient.length > 0)
    context.note('fish-cli: Catches of other players stay queued; send them with --user USER.')
  return deadLetters.length > 0 || leased.length > 0 ? EXIT.partly : EXIT.ok
}

/** Says that the catches are queued: adding them again would store them twice. */
function queuedError(error: unknown, left: number, target: Target): CliError {
  const command = flushCommand(target)
  const { code, message, hint, exit, retryAt, requestId } = describeError(error)
  return new CliError({
    code,
    message: `${message} ${queuedText(left)}`,
    hint: hint === null ? `Send them: ${command}` : `${hint} Then send them: ${command}`,
    exit,
    retryAt,
    requestId,
  })
}

export function catchesText(count: number): string {
  return count === 1 ? '1 catch' : `${count} catches`
}

function queuedText(count: number): string {
  return `${catchesText(count)} ${count === 1 ? 'is' : 'are'} queued on this machine.`
}
