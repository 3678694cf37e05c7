import { ROUTES } from '@fish-crab/sdk/contract'
import { ask, type Target } from './requests.ts'

/** What no request may exceed while its storage is silent, in milliseconds. */
export const DEADLINE_MS = 5000
/** How soon readiness has to be known, in milliseconds. */
export const READY_MS = 1000

/** Runs something and says how long it took, in milliseconds. */
export async function timed<Result>(run: () => Promise<Result>): Promise<readonly [Result, number]> {
  const start = performance.now()
  return [await run(), performance.now() - start]
}

/** Whether all of these servers are ready. */
export const isReady = (servers: readonly Target[]) => async () => {
  const answers = await Promise.all(servers.map((server) => ask(server, ROUTES.readyz.path)))
  return answers.every(({ status }) => status === 200)
}
