import { ERROR_CODES, GAMEMODES, type Status } from '@fish-crab/sdk/contract'
import { StorageError } from '../../storage/core/errors.ts'
import type { Metrics, StoredTotals } from '../core/host.ts'
import { HttpError } from '../http/http-error.ts'
import { json } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import type { Services } from './services.ts'

/**
 * Creates the handler of `/status`. While the storage is unavailable, the response has status 503 and the same fields.
 */
export function statusHandler(services: Services): Handler {
  const { clock, version, logger, gamemodes, publicUrl } = services
  const isDefault = gamemodes.names.join() === GAMEMODES.join()
  const listed = isDefault ? {} : { gamemodes: [...gamemodes.names] }
  return async ({ requestId }) => {
    const timestamp = new Date(clock()).toISOString()
    const fields = { timestamp, version, ...listed, ...(publicUrl && { publicUrl }) }
    try {
      await checkStorage(services)
    } catch (error) {
      logger.error({ requestId, err: error }, 'the storage is unavailable')
      const body = { status: 'unavailable', ...fields, error: problemOf(error), code: 'unavailable', requestId }
      return json(ERROR_CODES.unavailable.status, body)
    }
    return json(200, { status: 'ok', ...fields } satisfies Status)
  }
}

export const livez: Handler = () => json(200, { status: 'ok' })

export function readyzHandler(services: Services): Handler {
  return async () => {
    if (!services.isAccepting()) {
      throw new HttpError('unavailable', { message: 'The server is starting or stopping. Send requests elsewhere.' })
    }
    await checkStorage(services).catch((cause: unknown) => {
      throw new HttpError('unavailable', { cause, message: problemOf(cause) })
    })
    return json(200, { status: 'ok' })
  }
}

const FULL = 'The storage is full: new catches, users and administrators are refused. Free some space.'

function problemOf(error: unknown): string {
  return error instanceof StorageError && error.code === 'full' ? FULL : ERROR_CODES.unavailable.message
}

async function checkStorage({ storage, storeId }: Services): Promise<void> {
  await Promise.all([storage.ping(), storeId.verify()])
}

const TOTALS_MS = 10_000

/**
 * Creates the handler of `/metrics`. The totals are read at most every 10 s, because clients may read metrics often.
 */
export function metricsHandler(
  metrics: Metrics,
  { storage, users, clock }: Pick<Services, 'storage' | 'users' | 'clock'>,
): Handler {
  async function readTotals(): Promise<StoredTotals> {
    const [count, tallies] = await Promise.all([users.count(), storage.tallies()])
    return { users: count, catches: tallies.filter(({ label }) => label === null) }
  }
  let last: { readonly at: number; readonly totals: Promise<StoredTotals | undefined> } | undefined

  return async () => {
    if (metrics.observeTotals) {
      const now = clock()
      if (!last || Math.abs(now - last.at) >= TOTALS_MS) last = { at: now, totals: readTotals().catch(() => undefined) }
      metrics.observeTotals(await last.totals)
    }
    const { body, contentType } = await metrics.render()
    const bytes = new TextEncoder().encode(body)
    return {
      status: 200,
      body: bytes,
      headers: { 'content-type': contentType, 'content-length': String(bytes.byteLength) },
    }
  }
}
