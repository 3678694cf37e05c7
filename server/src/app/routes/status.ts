import { ERROR_CODES, type Status } from '@fish-crab/sdk/contract'
import { json } from '../http/answer.ts'
import { Failure } from '../http/failure.ts'
import type { Handler, Services } from '../services.ts'

/** `GET /status`: for people and overlays. Says 503 in its own shape when the storage is out of reach. */
export function statusHandler({ storage, clock, version, logger }: Services): Handler {
  return async ({ requestId }) => {
    const fields = { timestamp: new Date(clock()).toISOString(), version }
    try {
      await storage.ping()
    } catch (error) {
      logger.error({ requestId, err: error }, 'the storage is out of reach')
      const { status, message } = ERROR_CODES.unavailable
      return json(status, { status: 'unavailable', ...fields, error: message, code: 'unavailable', requestId })
    }
    return json(200, { status: 'ok', ...fields } satisfies Status)
  }
}

/** `GET /livez`: whether the process runs, whatever its storage does. */
export function livezHandler(): Handler {
  return () => json(200, { status: 'ok' })
}

/** `GET /readyz`: whether requests should be sent here. */
export function readyzHandler({ storage, isAccepting }: Services): Handler {
  return async () => {
    if (!isAccepting())
      throw new Failure('unavailable', { message: 'The server is stopping. Send requests elsewhere.' })
    await storage.ping().catch((cause: unknown) => {
      throw new Failure('unavailable', { cause })
    })
    return json(200, { status: 'ok' })
  }
}
