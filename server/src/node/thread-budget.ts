import { createFairQueue } from '../app/core/fair-queue.ts'
import type { CardRenderer, PasswordHasher } from '../app/core/host.ts'

/**
 * Leaves one of the four threads of Node's pool, and a processor of most machines, free for short work: digests,
 * signatures, files, names of hosts, and gzip and Brotli, which return their thread after each 16 KB of output.
 */
const LONG_TASKS = 3
/** Leaves a turn for the other kind of long task. */
const LONG_TASKS_OF_A_KIND = 2

/** Creates the queue that card renders and password hashes share. Each takes a processor for 50 ms or more. */
export function createThreadBudget() {
  const queue = createFairQueue({ concurrency: LONG_TASKS, perClient: LONG_TASKS_OF_A_KIND })
  const run = <Result>(kind: 'card' | 'password', work: () => Promise<Result>) => queue.run({ client: kind, work })
  return {
    limitCards(render: CardRenderer): CardRenderer {
      return (svg) => run('card', () => render(svg))
    },

    limitPasswords(passwords: PasswordHasher): PasswordHasher {
      return {
        hash: (password, options) => run('password', () => passwords.hash(password, options)),
        verify: (password, hash) => run('password', () => passwords.verify(password, hash)),
        isOutdated: (hash) => passwords.isOutdated?.(hash) ?? false,
        isCheap: (hash) => passwords.isCheap?.(hash) ?? false,
      }
    },
  }
}
