import type { Redis } from 'ioredis'
import { createChanges } from '../core/changes.ts'
import { decodeKeyPart } from '../core/keys.ts'
import type { Change, StorageDriver } from '../core/types.ts'
import type { Connection } from './connection.ts'
import { CHANGES_CHANNEL } from './keys.ts'

/** How long a lost connection waits before it is opened again, in milliseconds: twice as long each time, up to the last. */
const RETRY_MS = { first: 500, last: 30_000 }

/** How often a connection that only receives is tried, in milliseconds: on one that leads nowhere nothing ever fails. */
const PING_MS = 1000

export interface Signals extends Pick<StorageDriver, 'onChange'> {
  close(): void
}

/**
 * Receives what the scripts publish, over a connection of its own, which is open while there are listeners. A server of a
 * cluster passes on what any other publishes. Without the permission to subscribe there are no signals, which listeners
 * have to expect anyway.
 */
export function createSignals({ primaries }: Pick<Connection, 'primaries'>): Signals {
  const changes = createChanges()
  let subscriber: Redis | undefined
  let timer: NodeJS.Timeout | undefined
  let listeners = 0
  let attempts = 0
  let isClosed = false

  function retryLater(): void {
    if (listeners === 0 || isClosed) return
    timer = setTimeout(connect, Math.min(RETRY_MS.first * 2 ** attempts, RETRY_MS.last)).unref()
    attempts += 1
  }

  function connect(): void {
    const nodes = primaries()
    // Another one each time: a node that left a cluster does not come back.
    const node = nodes[attempts % nodes.length]
    if (!node) {
      retryLater()
      return
    }
    const own = node.duplicate({ retryStrategy: () => null, autoResubscribe: false, lazyConnect: true })
    subscriber = own
    // One that was left still delivers for a moment, while what comes after it is not yet received.
    const isCurrent = () => subscriber === own
    own.on('error', () => {})
    own.on('message', (_, message: string) => {
      if (isCurrent()) changes.emit(toChange(message))
    })
    const pings = setInterval(() => {
      own.ping().catch((error: Error) => {
        // A user without the permission gets an error, but over a connection that works.
        if (error.name !== 'ReplyError') own.disconnect()
      })
    }, PING_MS).unref()
    own.once('end', () => {
      clearInterval(pings)
      if (isCurrent()) retryLater()
    })
    own
      .connect()
      .then(() => own.subscribe(CHANGES_CHANNEL))
      .then(
        () => {
          if (!isCurrent()) return
          attempts = 0
          // Whatever was published before is not received.
          changes.emit()
        },
        () => own.disconnect(),
      )
  }

  function disconnect(): void {
    clearTimeout(timer)
    const last = subscriber
    subscriber = undefined
    last?.disconnect()
  }

  return {
    onChange(listener) {
      const stop = changes.onChange(listener)
      listeners += 1
      if (listeners === 1 && !isClosed) connect()
      let isStopped = false
      return () => {
        if (isStopped) return
        isStopped = true
        stop()
        listeners -= 1
        if (listeners === 0) disconnect()
      }
    },
    close() {
      isClosed = true
      disconnect()
    },
  }
}

/** What a script published: the name of a collection, which is empty for all of an owner; the owner; a removed record. */
function toChange(message: string): Change | undefined {
  try {
    const [collection, owner, removed] = JSON.parse(message) as string[]
    if (typeof collection !== 'string' || typeof owner !== 'string') return undefined
    if (collection === '') return { owner }
    const [kind = '', gamemode = ''] = collection.split(':').map(decodeKeyPart)
    return { owner, kind, gamemode, ...(removed === undefined ? {} : { removed }) }
  } catch {
    // Published by someone else: anything may have changed.
    return undefined
  }
}
