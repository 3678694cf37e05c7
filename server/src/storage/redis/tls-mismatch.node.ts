import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { StorageError } from '../errors.ts'
import type { RedisClusterTarget, RedisTarget } from './address.ts'

/** How long a server may take to show whether it speaks TLS, in milliseconds. */
const ANSWER_MS = 1000

function settles(socket: Socket, event: 'secureConnect' | 'data', isYes: (data: unknown) => boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(ANSWER_MS, () => settle(false))
    socket.on('error', () => settle(false))
    socket.on('close', () => settle(false))
    socket.on(event, (data: unknown) => settle(isYes(data)))
  })
}

/**
 * Adds to an error of the first connection that the address says TLS where Redis has none, or the reverse. The server
 * is asked, because what the client makes of it looks like many other troubles. It is told nothing, no login either.
 */
export async function withTlsHint(
  error: StorageError,
  target: RedisTarget | RedisClusterTarget,
): Promise<StorageError> {
  const [node] = 'nodes' in target ? target.nodes : [target]
  // Whoever was answered speaks as the other side does.
  const isAnswered = error.cause instanceof Error && error.cause.name === 'ReplyError'
  if (error.code !== 'unavailable' || isAnswered || !node) return error
  const { host, port } = node
  const isOther = target.tls
    ? settles(connectPlain({ host, port }).once('connect', ping), 'data', (data) => /^[+-]/.test(String(data)))
    : settles(connectTls({ host, port, rejectUnauthorized: false }), 'secureConnect', () => true)
  if (!(await isOther)) return error
  const scheme = `redis${target.tls ? '' : 's'}${'nodes' in target ? '-cluster' : ''}`
  const hint = `This is a Redis ${target.tls ? 'without' : 'with'} TLS: FISH_STORAGE must begin with ${scheme}://.`
  return new StorageError(error.code, `${error.message} ${hint}`, { cause: error.cause })
}

function ping(this: Socket): void {
  this.write('PING\r\n')
}
