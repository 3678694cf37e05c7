// This file imports only packages and `node:` modules, so that Node can run it from the sources.
import { parentPort, workerData } from 'node:worker_threads'
import { compareSync } from 'bcryptjs'

const { password, hash } = workerData as { readonly password: string; readonly hash: string }
parentPort?.postMessage(compareSync(password, hash))
