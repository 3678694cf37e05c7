import { ROUTES } from '@fish-crab/sdk/contract'
import { ask, type Target } from './requests.ts'

/** Returns a function that checks whether all servers are ready. */
export const isReady = (servers: readonly Target[]) => async () => {
  const responses = await Promise.all(servers.map((server) => ask(server, ROUTES.readyz.path)))
  return responses.every(({ status }) => status === 200)
}
