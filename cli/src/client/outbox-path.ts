import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { folders } from '../config/paths.ts'
import type { Io } from '../core/io.ts'

/**
 * The file of the outbox for a service: each service has one of its own, since what waits for one must not go to
 * another. It is beside the other files of this machine's state.
 */
export function outboxPath(io: Pick<Io, 'env'>, url: string): string {
  const { host = 'service', origin = url, pathname = '' } = URL.parse(url) ?? {}
  const name = host.replace(/[^a-z\d.-]+/gi, '-').slice(0, 64)
  const hash = createHash('sha256')
    .update(`${origin}${pathname.replace(/\/+$/, '')}`)
    .digest('hex')
    .slice(0, 8)
  return join(folders(io).state, `outbox-${name}-${hash}.db`)
}
