import type { NodeTransports } from './node-transports.ts'

export const nodeTransports: NodeTransports = {
  listen: () => unavailable('listen()', 'handlers() with setupWorker of msw/browser'),
  serve: () => unavailable('serve()', 'fetch, or handlers() with setupWorker of msw/browser'),
}

async function unavailable(method: string, alternative: string): Promise<never> {
  throw new Error(`${method} works in Node only. Here, use ${alternative}.`)
}
