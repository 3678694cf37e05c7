import type { Redis } from 'ioredis'
import { createChanges } from '../core/changes.ts'
import { decodeKeyPart } from '../core/keys.ts'
import type { Change, StorageDriver } from '../core/types.ts'
import type { Connection } from './connection.ts'
import { CHANGES_CHANNEL } from './keys.ts'

/** Delay before a lost connection is opened again, in milliseconds. The delay doubles each time, up to `last`. */
const RETRY_MS = { first: 500, last: 30_000 }

/** How often to ping, in milliseconds: a dead connection that only receives never reports an error. */
const PING_MS = 1000

/**
 * Receives the signals of the scripts over a separate connection, which is open while there are listeners. Each server
 * of a cluster passes on the signals of all other servers. A Redis user without the permission to subscribe gets no
 * signals, which listeners must tolerate anyway.
 */
export function createSignals(
  connection: Connection,
): Pick<StorageDriver, 'onChange' | 'signalChange'> & { close(): void } {
  const changes = createChanges()
  let listeners = 0
  let disconnect: (() => void) | undefined
  const close = () => {
    disconnect?.()
    disconnect = undefined
  }
  return {
    onChange(listener) {
      const stop = changes.onChange(listener)
      listeners += 1
      disconnect ??= subscribe(connection, changes.emit)
      let isStopped = false
      return () => {
        if (isStopped) return
        isStopped = true
        stop()
        listeners -= 1
        if (listeners === 0) close()
      }
    },
    async signalChange(owner) {
      // A Redis user without the permission to publish sends no signals.
      await connection
        .run(() => connection.client.publish(CHANGES_CHANNEL, JSON.stringify(['', owner])))
        .catch(() => {})
    },
    close,
  }
}

/** Subscribes, and subscribes again whenever the connection ends. @returns a function that ends the subscription */
function subscribe({ primaries }: Connection, emit: (change?: Change) => void): () => void {
  let subscriber: Redis | undefined
  let timer: NodeJS.Timeout | undefined
  let attempts = 0
  let isStopped = false

  function retry(): void {
    if (isStopped) return
    timer = setTimeout(open, Math.min(RETRY_MS.first * 2 ** attempts, RETRY_MS.last)).unref()
    attempts += 1
  }

  function open(): void {
    const nodes = primaries()
    // Each attempt uses the next node, because a node that left a cluster does not come back.
    const own = nodes[attempts % nodes.length]?.duplicate({ retryStrategy: () => null, lazyConnect: true })
    if (!own) {
      retry()
      return
    }
    subscriber = own
    own.on('error', () => {})
    own.on('message', (_, message: string) => !isStopped && emit(toChange(message)))
    const pings = setInterval(() => {
      // An error reply, such as for a missing permission, shows that the connection works.
      own.ping().catch((error: Error) => error.name !== 'ReplyError' && own.disconnect())
    }, PING_MS).unref()
    own.once('end', () => {
      clearInterval(pings)
      retry()
    })
    const subscribed = own.connect().then(() => own.subscribe(CHANGES_CHANNEL))
    subscribed.then(
      () => {
        attempts = 0
        // Signals before the subscription are lost, so report that anything may have changed.
        if (!isStopped) emit()
      },
      () => own.disconnect(),
    )
  }

  open()
  return () => {
    isStopped = true
    clearTimeout(timer)
    subscriber?.disconnect()
  }
}

/**
 * Parses the message of a script: the name of a collection (empty for all collections of an owner), the owner, the id of a
 * record that was removed or lost an entry, and the index of this entry.
 */
function toChange(message: string): Change | undefined {
  try {
    const [collection, owner, removed, entry] = JSON.parse(message) as [string?, string?, string?, number?]
    if (typeof collection !== 'string' || typeof owner !== 'string') return undefined
    if (collection === '') return { owner }
    const [kind = '', gamemode = ''] = collection.split(':').map(decodeKeyPart)
    return {
      owner,
      kind,
      gamemode,
      ...(removed === undefined ? {} : { removed }),
      ...(entry === undefined ? {} : { entry }),
    }
  } catch {
    // Another program published this message, so anything may have changed.
    return undefined
  }
}
