import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { catchesText } from '../client/flush.ts'
import { openIdleOutbox, outboxPath } from '../client/outbox.ts'
import type { ServiceFlags } from '../config/selection.ts'
import type { RunIo } from '../core/run-io.ts'
import { type Finding, fail, ok, threw, warn } from './finding.ts'

/** Checks that catches can be kept until the service has them, and tells of those that wait. */
export async function checkOutbox(io: RunIo, flags: ServiceFlags, url: string): Promise<Finding> {
  const path = outboxPath(io, url)
  const folder = dirname(path)
  if (!isWritable(nearestFolder(folder))) {
    const mend = 'Check owner and mode of it and of the folder it is in, or set XDG_STATE_HOME to another folder.'
    return fail('outbox', `Catches cannot be kept: ${folder} cannot be made or written.`, mend)
  }
  try {
    await using outbox = await openIdleOutbox(io, flags)
    if (!outbox) return ok('outbox', EMPTY)
    const { queued, frozen, dead } = await outbox.status()
    const waiting = queued + frozen
    if (dead > 0) return warn('outbox', `${catchesText(dead)} set aside.`, 'See why: fish-cli outbox status')
    if (waiting > 0) return warn('outbox', `${catchesText(waiting)} not sent yet.`, 'Send them: fish-cli outbox flush')
    return ok('outbox', EMPTY)
  } catch (error) {
    return threw('outbox', error)
  }
}

const EMPTY = 'Nothing waits to be sent.'

/** The folder, or the one it would be made in. */
function nearestFolder(folder: string): string {
  const above = dirname(folder)
  return existsSync(folder) || above === folder ? folder : nearestFolder(above)
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}
