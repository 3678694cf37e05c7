import { platform } from '#platform'
import { type ApiPromise, apiPromise } from '../transport/call.ts'
import type { OnDemand } from '../transport/platform.ts'

/** Loads the code of a call before the call starts. */
export function deferred<Content>(start: (code: OnDemand) => ApiPromise<Content>): ApiPromise<Content> {
  return apiPromise(platform.loadOnDemand().then((code) => start(code).withResponse()))
}
