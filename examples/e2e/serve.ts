/**
 * Runs the server package that is installed in the folder of this file until SIGTERM. The environment configures the
 * server.
 */
import { once } from 'node:events'
import { serve } from '@fish-crab/server'

process.exitCode = await serve({
  env: process.env,
  version: '0.0.0',
  stdout: process.stdout,
  stderr: process.stderr,
  stopRequested: async () => {
    await once(process, 'SIGTERM')
  },
})
