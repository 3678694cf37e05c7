import { type Load, type LoadOptions, load } from './load.ts'
import { cpuOf, memoryOf, resetPeak, type Server } from './processes.ts'

/** Something that is measured once a round. */
export type Subject<Sample> = () => Promise<Sample>

/**
 * Runs every subject once a round, so that a busy moment of the machine meets all alike, after a round that warms up. A
 * subject that several rows compare with is measured once.
 */
export async function measureRounds<Sample>(
  rounds: number,
  subjects: Iterable<Subject<Sample>>,
): Promise<(subject: Subject<Sample>) => readonly Sample[]> {
  const samples = new Map(Array.from(subjects, (subject) => [subject, [] as Sample[]]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [subject, of] of samples) {
      const sample = await subject()
      if (round > 0) of.push(sample)
    }
  }
  return (subject) => samples.get(subject) ?? []
}

export interface LoadSample extends Load {
  /** CPU of a request in microseconds. */
  readonly cpu: number
  /** Most resident memory meanwhile, in megabytes. */
  readonly memory: number
}

/** A server under a load. */
export function underLoad(server: Server, options: Omit<LoadOptions, 'port'>): Subject<LoadSample> {
  return async () => {
    resetPeak(server)
    const before = cpuOf(server)
    const loaded = await load({ port: server.port, ...options })
    return { ...loaded, cpu: (cpuOf(server) - before) / options.requests, memory: memoryOf(server).peak }
  }
}
