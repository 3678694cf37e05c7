import { readdir } from 'node:fs/promises'
import { ROUTES } from '@fish-crab/sdk/contract'
import { until } from '../../scripts/test-support/redis-server.ts'
import type { ServerProcess } from '../../scripts/test-support/server-process.ts'

const MEGABYTE = 1024 * 1024

interface ProcessFigures {
  /** Resident memory, in megabytes. `live` has the same unit. */
  readonly resident: number
  readonly live: number
  /** CPU time since the start of the process, in milliseconds. */
  readonly cpu: number
}

/** Returns the memory and CPU time of a server, from the metrics of the server. */
export async function figuresOf({ url }: ServerProcess): Promise<ProcessFigures> {
  const text = await (await fetch(`${url}${ROUTES.metrics.path}`)).text()
  const figure = (metric: string) => {
    const value = new RegExp(`^${metric} (\\S+)$`, 'm').exec(text)?.[1]
    if (value === undefined) throw new Error(`The server does not report ${metric}.`)
    return Number(value)
  }
  const megabytes = (metric: string) => Math.round(figure(metric) / MEGABYTE)
  return {
    resident: megabytes('process_resident_memory_bytes'),
    live: megabytes('nodejs_heap_size_used_bytes') + megabytes('nodejs_external_memory_bytes'),
    cpu: figure('process_cpu_seconds_total') * 1000,
  }
}

/** Maximum CPU time that an idle server uses for one scrape of its metrics, in milliseconds. */
const IDLE_CPU = 10

/** Waits until a server is idle. */
export async function untilIdle(server: ServerProcess): Promise<void> {
  let cpu = Number.NEGATIVE_INFINITY
  await until(async () => {
    const before = cpu
    cpu = (await figuresOf(server)).cpu
    return cpu - before < IDLE_CPU
  })
}

/** Returns the number of open file descriptors of a server, or `undefined` where `/proc` does not exist. */
export async function openDescriptors({ child }: ServerProcess): Promise<number | undefined> {
  return readdir(`/proc/${child.pid}/fd`).then(
    (descriptors) => descriptors.length,
    () => undefined,
  )
}
