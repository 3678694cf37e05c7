import { Worker } from 'node:worker_threads'

/** The file names of workers in this folder, without their extension. The build writes each worker as a file. */
type WorkerName = 'bcrypt-worker' | 'card-worker'

/** Runs a worker in a new thread, and returns its first message. */
export function runInThread<Result>(name: WorkerName, workerData: unknown): Promise<Result> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`./${name}.${extension}`, import.meta.url), { env: {}, workerData })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) =>
      reject(new Error(`The thread of ${name} ended without a result (exit code ${code}).`)),
    )
  })
}
