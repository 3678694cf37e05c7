import type { Logger } from '../app/options.ts'
import { StorageError } from '../storage/errors.ts'

/** What {@link watchStore} takes. */
export interface StoreWatchOptions {
  /** Looks once; see `App.verifyStore`. */
  readonly verify: () => Promise<void>
  /** How often, in milliseconds. A look that takes longer is not overtaken by the next. */
  readonly everyMs: number
  readonly logger: Pick<Logger, 'info' | 'error'>
}

/** Looks again and again whether the store is still there, and says once when it is not, and when it is again. */
export function watchStore({ verify, everyMs, logger }: StoreWatchOptions): { stop(): void } {
  let isLooking = false
  let isLost = false

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    try {
      await verify()
      if (isLost) logger.info({}, 'the store is back: requests are answered again')
      isLost = false
    } catch (err) {
      // A storage out of reach tells nothing of the store in it; whoever needs it logs that.
      if (err instanceof StorageError && (err.code === 'replaced' || err.code === 'unfinished')) {
        if (!isLost) logger.error({ err }, 'the store is not there: no request is answered from what is')
        isLost = true
      }
    } finally {
      isLooking = false
    }
  }

  const timer = setInterval(look, everyMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
