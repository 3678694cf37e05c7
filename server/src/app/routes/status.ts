import { ERROR_CODES, type Status } from '@fish-crab/sdk/contract'
import { createProbe } from '../../storage/core/probe.ts'
import type { Metrics } from '../core/host.ts'
import { HttpError } from '../http/http-error.ts'
import { json } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import type { Services } from './services.ts'

/** 503, in the same form, while the storage is unavailable. */
export function statusHandler(services: Services): Handler {
  const { clock, version, logger } = services
  const checkStorage = createStorageCheck(services)
  return async ({ requestId }) => {
    const fields = { timestamp: new Date(clock()).toISOString(), version }
    try {
      await checkStorage()
    } catch (error) {
      logger.error({ requestId, err: error }, 'the storage is unavailable')
      const { status, message } = ERROR_CODES.unavailable
      return json(status, { status: 'unavailable', ...fields, error: message, code: 'unavailable', requestId })
    }
    return json(200, { status: 'ok', ...fields } satisfies Status)
  }
}

export const livez: Handler = () => json(200, { status: 'ok' })

export function readyzHandler(services: Services): Handler {
  const checkStorage = createStorageCheck(services)
  return async () => {
    if (!services.isAccepting()) {
      throw new HttpError('unavailable', { message: 'The server is starting or stopping. Send requests elsewhere.' })
    }
    await checkStorage().catch((cause: unknown) => {
      throw new HttpError('unavailable', { cause })
    })
    return json(200, { status: 'ok' })
  }
}

/** Checks that the storage works. Requests that arrive during a check share its outcome. */
function createStorageCheck({ storage, storeId }: Services): () => Promise<void> {
  const check = async () => {
    await Promise.all([storage.ping(), storeId.verify()])
  }
  return createProbe(check, { ttlMs: 0 })
}

export function metricsHandler(metrics: Metrics): Handler {
  return async () => {
    const { body, contentType } = await metrics.render()
    const bytes = new TextEncoder().encode(body)
    return {
      status: 200,
      body: bytes,
      headers: { 'content-type': contentType, 'content-length': String(bytes.byteLength) },
    }
  }
}
