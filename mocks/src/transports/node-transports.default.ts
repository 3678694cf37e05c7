import type { NodeLanes } from './node-transports-types.ts'

/** What stands in for the lanes of Node everywhere else. */
export const nodeLanes: NodeLanes = {
  listen: () => refuse('listen()', 'handlers() with setupWorker of msw/browser'),
  serve: () => refuse('serve()', 'fetch, or handlers() with setupWorker of msw/browser'),
}

async function refuse(what: string, instead: string): Promise<never> {
  throw new Error(`${what} works in Node only. Here, use ${instead}.`)
}
