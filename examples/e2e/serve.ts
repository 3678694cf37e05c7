/** Runs the server package as it is installed beside this file, configured by the environment, until SIGTERM. */
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
