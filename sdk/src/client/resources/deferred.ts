import { loadOnDemand } from '#on-demand'
import { type ApiPromise, apiPromise } from '../transport/call.ts'
import type { OnDemand } from './on-demand.ts'

/** Loads the code of a call before the call starts. */
export function deferred<Content>(start: (code: OnDemand) => ApiPromise<Content>): ApiPromise<Content> {
  return apiPromise(loadOnDemand().then((code) => start(code).withResponse()))
}
