import { StorageError } from '../errors.ts'
import type { Connection } from './connection.ts'
import { writesKey } from './keys.ts'
import { countsChanges } from './scripts.ts'

/** What {@link noticeOlderData} takes. */
export interface OlderDataOptions {
  /** Whether Redis, as it is configured, may lose what it acknowledged. */
  readonly mayLose: boolean
  /** Told such a loss, in a sentence for the operator. */
  readonly onDataLoss?: ((message: string) => void) | undefined
}

/** A connection that notices older data. */
export interface WatchedConnection {
  readonly connection: Connection
  /**
   * Compares what Redis holds with what it acknowledged.
   * @throws {StorageError} `replaced` where it holds less, and may not
   */
  verify(): Promise<void>
}

/**
 * Remembers the highest counts of changes that were acknowledged. A Redis whose counts are lower holds an older copy of
 * the data, such as a restored backup. Where it may lose writes, that is told, and the service goes on; else every
 * operation rejects until the newer data is back. A count comes with each change, so nothing more is asked for, but:
 * one server is asked after each reconnect, before anything else is. Nodes of a cluster come and go unnoticed.
 */
export function noticeOlderData(inner: Connection, { mayLose, onDataLoss }: OlderDataOptions): WatchedConnection {
  const { client } = inner
  const acknowledged = new Map<string, number>()
  let [doubts, resolved] = [0, 0]
  let comparing: Promise<void> | undefined

  async function compare(): Promise<void> {
    const [turn, expected] = [doubts, [...acknowledged]]
    const found = await Promise.all(expected.map(([key]) => client.get(key)))
    let missing = 0
    for (const [index, [key, count]] of expected.entries()) {
      // A store without a count was emptied, or is another one: that is told by its id.
      const left = Number(found[index] ?? count)
      if (left >= count) continue
      missing += count - left
      if (mayLose) acknowledged.set(key, left)
    }
    if (missing > 0 && !mayLose) {
      doubts = Math.max(doubts, resolved + 1)
      throw olderData(missing)
    }
    resolved = turn
    if (missing > 0) onDataLoss?.(lossOf(missing))
  }

  function verify(): Promise<void> {
    comparing ??= compare().finally(() => {
      comparing = undefined
    })
    return comparing
  }

  async function resolve(): Promise<void> {
    while (doubts > resolved) await verify()
  }

  if (!client.isCluster) {
    client.on('close', () => {
      doubts += 1
    })
  }
  return {
    verify,
    connection: {
      ...inner,
      run: (operation, deadlineMs) =>
        inner.run(doubts > resolved ? () => resolve().then(operation) : operation, deadlineMs),
      async call(script, keys, args) {
        if (doubts > resolved) await inner.run(resolve)
        return inner.call(script, keys, args)
      },
      async write(script, keys, args) {
        if (doubts > resolved) await inner.run(resolve)
        if (!countsChanges(script)) return inner.write(script, keys, args)
        const key = writesKey(keys[0] ?? '', client.isCluster)
        const [count, answer] = (await inner.write(script, [...keys, key], args)) as [number, unknown]
        if (count > (acknowledged.get(key) ?? 0)) acknowledged.set(key, count)
        else if (count > 0) {
          doubts += 1
          await inner.run(resolve)
        }
        return answer
      },
    },
  }
}

function lossOf(missing: number): string {
  return `Redis came back without writes that it acknowledged, such as catches (at least ${missing}). As it is configured it may lose them: set appendonly yes and appendfsync always, and wait for its replicas.`
}

function olderData(missing: number): StorageError {
  return new StorageError(
    'replaced',
    `Redis holds older data than it acknowledged: writes are missing, such as catches (at least ${missing}). Restore the newer data; or restart all servers, to go on with what is there now.`,
  )
}
