import { type ApiPromise, apiPromise } from '../transport/call.ts'

/** Loads the code that most pages never need. */
export const loadOnDemand = () => import('./on-demand.ts')

/** A call whose code is loaded first. */
export function deferred<Content>(
  start: (code: Awaited<ReturnType<typeof loadOnDemand>>) => ApiPromise<Content>,
): ApiPromise<Content> {
  return apiPromise(loadOnDemand().then((code) => start(code).withResponse()))
}
