import { ERROR_CODES, type Status } from '@fish-crab/sdk/contract'
import { json } from '../http/answer.ts'
import { Failure } from '../http/failure.ts'
import type { Handler, Services } from '../services.ts'

/** `GET /status`: for people and overlays. Says 503 in its own shape when the storage cannot be used. */
export function statusHandler(services: Services): Handler {
  const { clock, version, logger } = services
  return async ({ requestId }) => {
    const fields = { timestamp: new Date(clock()).toISOString(), version }
    try {
      await checkStorage(services)
    } catch (error) {
      logger.error({ requestId, err: error }, 'the storage cannot be used')
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
export function readyzHandler(services: Services): Handler {
  return async () => {
    if (!services.isAccepting())
      throw new Failure('unavailable', { message: 'The server is stopping. Send requests elsewhere.' })
    await checkStorage(services).catch((cause: unknown) => {
      throw new Failure('unavailable', { cause })
    })
    return json(200, { status: 'ok' })
  }
}

/** Rejects when the storage is out of reach, or no longer holds the store that the server started with. */
async function checkStorage({ storage, identity }: Services): Promise<void> {
  // At once: how long both take is how long the slower one does.
  await Promise.all([storage.ping(), identity.verify()])
}
