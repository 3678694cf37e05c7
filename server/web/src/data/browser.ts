import type { PageContext } from './follow.ts'

/** Those of the page itself. */
export const browserContext: PageContext = {
  now: () => Date.now(),
  isOnline: () => navigator.onLine,
  isVisible: () => document.visibilityState === 'visible',
  onChange(callback) {
    const targets: readonly [EventTarget, string][] = [
      [window, 'online'],
      [window, 'offline'],
      [document, 'visibilitychange'],
    ]
    for (const [target, type] of targets) target.addEventListener(type, callback)
    return () => {
      for (const [target, type] of targets) target.removeEventListener(type, callback)
    }
  },
}
