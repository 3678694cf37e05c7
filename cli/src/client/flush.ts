import { RateLimitError } from '@fish-crab/sdk'
import type { FlushReport, Outbox } from '@fish-crab/sdk/outbox'
import type { Context } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { createCountdown, createProgress, leaseText, waitText } from '../output/progress.ts'
import { describeError } from './describe-error.ts'

/** How to send what waits. */
export interface FlushOptions {
  /** Longest wait for the rate limit, in milliseconds. @default one whole window */
  readonly maxWaitMs?: number | undefined
  readonly signal: AbortSignal
}

/**
 * Sends what waits, and tells on stderr how far it is and how long it has to wait.
 *
 * @throws CliError `interrupted` that says what is queued
 */
export async function flushWithProgress(io: Context, outbox: Outbox, wish: FlushOptions): Promise<FlushReport> {
  const { queued, frozen } = await outbox.status()
  const progress = createProgress(io.line, io.clock, { unit: 'catches', total: queued + frozen })
  const unsubscribe = outbox.subscribe(createWaitListener(io))
  try {
    return await outbox.flush({
      signal: wish.signal,
      ...(wish.maxWaitMs === undefined ? {} : { maxWaitMs: wish.maxWaitMs }),
      onProgress: ({ sent, dead }) => progress.update(sent + dead),
    })
  } catch (error) {
    throw wish.signal.aborted ? await interruptedError(outbox) : error
  } finally {
    progress.end()
    unsubscribe()
  }
}

/** What several flushes did, as one: what is left is what the last one left. */
export function mergeReports(before: readonly FlushReport[], last: FlushReport): FlushReport {
  const all = [...before, last]
  return {
    ...last,
    sent: all.reduce((sum, { sent }) => sum + sent, 0),
    dead: all.reduce((sum, { dead }) => sum + dead, 0),
    deadLetters: all.flatMap(({ deadLetters }) => deadLetters),
  }
}

/** A listener that shows the waits of an outbox, for the rate limit or for another process. */
export function createWaitListener(io: Pick<Context, 'line' | 'clock'>) {
  const { start, stop } = createCountdown(io.line, io.clock)
  return (event: Parameters<Parameters<Outbox['subscribe']>[0]>[0]) => {
    if (event.type === 'waiting' && event.error instanceof RateLimitError) start(event.until.getTime(), waitText)
    if (event.type === 'leased') start(event.until.getTime(), leaseText)
    if (event.type === 'sending') stop()
  }
}

/** Ctrl-C, and what it leaves. */
export async function interruptedError(outbox: Outbox): Promise<CliError> {
  const { queued, frozen } = await outbox.status()
  const waiting = queued + frozen
  if (waiting === 0) {
    return new CliError({ code: 'interrupted', message: 'Interrupted. Nothing is queued.', exit: EXIT.interrupted })
  }
  return new CliError({
    code: 'interrupted',
    message: `Interrupted. ${queuedText(waiting)}`,
    hint: 'Send them: fish-cli outbox flush',
    exit: EXIT.interrupted,
  })
}

/**
 * What a flush came to, as an exit status.
 *
 * @param note Tells a person.
 * @throws CliError what kept catches from being sent, and that they are queued
 */
export function flushStatus(report: FlushReport, note: (text: string) => void): typeof EXIT.ok | typeof EXIT.partly {
  const { sent, left, deadLetters, stopped, leased, withoutClient } = report
  for (const { count, reason } of deadLetters) note(`fish-cli: ${count} set aside: ${reason.message}`)
  const [first] = stopped
  if (first) {
    if (sent > 0) note(`fish-cli: ${sent} sent.`)
    throw queuedError(first.error, left)
  }
  if (deadLetters.length > 0) note('fish-cli: See fish-cli outbox status, then: fish-cli outbox retry, or drop.')
  if (leased.length > 0) note('fish-cli: Another process is sending the rest.')
  if (withoutClient.length > 0) note('fish-cli: Catches of other players stay queued; send them with --user USER.')
  return deadLetters.length > 0 ? EXIT.partly : EXIT.ok
}

const NEXT = 'fish-cli outbox flush'

/** What kept catches from being sent, with where they are: whoever gives them again would add them twice. */
function queuedError(error: unknown, left: number): CliError {
  const { code, message, hint, exit, retryAt, requestId } = describeError(error)
  return new CliError({
    code,
    message: `${message} ${queuedText(left)}`,
    hint: hint === null ? `Send them: ${NEXT}` : `${hint} Then send them: ${NEXT}`,
    exit,
    retryAt: retryAt === null ? undefined : new Date(retryAt),
    requestId: requestId ?? undefined,
  })
}

/**
 * So many catches, in words.
 * @example catchesText(1) // '1 catch'
 */
export function catchesText(count: number): string {
  return count === 1 ? '1 catch' : `${count} catches`
}

/**
 * Where catches are that were not sent, as a sentence.
 * @example queuedText(2) // '2 catches are queued, and kept on this machine.'
 */
function queuedText(count: number): string {
  return `${catchesText(count)} ${count === 1 ? 'is' : 'are'} queued, and kept on this machine.`
}
