import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** The response to a command. */
interface Reply {
  readonly id: number
  /** Whether the command took longer than its limit, as measured in the process of the storage. */
  readonly isLate: boolean
  readonly memory: number
  readonly result?: unknown
  readonly error?: unknown
}

/** Starts a storage in its own process. */
export async function startRemoteStorage(folder: string, env: Readonly<Record<string, string>> = {}) {
  const script = fileURLToPath(new URL('./fixtures/remote-storage.ts', import.meta.url))
  const child = fork(script, [folder], { env: { ...process.env, ...env } })
  const closed = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const waiting = new Map<number, (reply: Reply) => void>()
  child.on('message', (reply: Reply) => waiting.get(reply.id)?.(reply))
  let last = 0
  const receive = (id: number) => new Promise<Reply>((resolve) => waiting.set(id, resolve))
  await receive(0)
  const order = (type: string, limitMs: number, fields = {}) => {
    last += 1
    child.send({ id: last, type, limitMs, ...fields })
    return receive(last)
  }
  return {
    pid: child.pid ?? 0,
    ping: (limitMs = 2000) => order('ping', limitMs),
    append: (record: string, length = 1) => order('append', 10_000, { record, length }),
    /** Reads the version of the collection to which `append` writes. */
    version: () => order('version', 2000),
    dispose: () => order('dispose', 8000),
    kill: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}
