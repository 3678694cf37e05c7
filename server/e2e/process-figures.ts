import { readdir } from 'node:fs/promises'
import { ROUTES } from '@fish-crab/sdk/contract'
import type { ServerProcess } from '../../scripts/test-support/server-process.ts'

const MEGABYTE = 1024 * 1024

/** Memory of a server, in megabytes, as it says itself. */
export async function memoryOf({ url }: ServerProcess): Promise<{ readonly resident: number; readonly live: number }> {
  const text = await (await fetch(`${url}${ROUTES.metrics.path}`)).text()
  const megabytes = (metric: string) => {
    const bytes = new RegExp(`^${metric} (\\S+)$`, 'm').exec(text)?.[1]
    if (bytes === undefined) throw new Error(`The server says nothing of ${metric}.`)
    return Math.round(Number(bytes) / MEGABYTE)
  }
  return {
    resident: megabytes('process_resident_memory_bytes'),
    live: megabytes('nodejs_heap_size_used_bytes') + megabytes('nodejs_external_memory_bytes'),
  }
}

/** What a server has open: files, sockets and whatever else has a descriptor. `undefined` where nobody can tell. */
export async function openDescriptors({ child }: ServerProcess): Promise<number | undefined> {
  return readdir(`/proc/${child.pid}/fd`).then(
    (descriptors) => descriptors.length,
    () => undefined,
  )
}
