import type { Days } from './history.ts'
import type { HistoryQuery } from './history-worker.ts'
import workerUrl from './history-worker.ts?worker&url'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** The pages' Content-Security-Policy names this policy, the only one. */
const POLICY = 'history-worker'

/**
 * Reads when each fish was caught, in a worker. Costs one request.
 * @returns `undefined` if the times cannot be read
 */
export function createHistoryLoader(): (query: HistoryQuery, signal: AbortSignal) => Promise<Days | undefined> {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  // Browsers with Trusted Types start a worker only from a URL that a policy has vouched for.
  const url = trustedTypes?.createPolicy(POLICY, { createScriptURL: () => workerUrl }).createScriptURL('') ?? workerUrl
  return (query, signal) =>
    new Promise((resolve) => {
      const worker = new Worker(url, { type: 'module' })
      const end = (days?: Days) => {
        worker.terminate()
        resolve(days)
      }
      worker.onmessage = ({ data }: MessageEvent<Days | undefined>) => end(data)
      worker.onerror = () => end()
      signal.addEventListener('abort', () => end(), { once: true })
      worker.postMessage(query)
    })
}
