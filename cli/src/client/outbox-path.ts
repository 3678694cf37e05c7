import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { folders } from '../config/paths.ts'
import { serviceOf } from '../config/profile.ts'
import type { Context } from '../core/context.ts'

/**
 * The file of the outbox. Each service has its own file, so that catches for one service never go to another service.
 */
export function outboxPath(context: Pick<Context, 'env'>, url: string): string {
  const name = (URL.parse(url)?.host ?? 'service').replace(/[^a-z\d.-]+/gi, '-').slice(0, 64)
  const hash = createHash('sha256').update(serviceOf(url)).digest('hex').slice(0, 8)
  return join(folders(context).state, `outbox-${name}-${hash}.db`)
}
