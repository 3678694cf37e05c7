import { EVENT_STREAM, eventOptionsSchema, HEADERS } from '@fish-crab/sdk/contract'
import { HttpError } from '../http/http-error.ts'
import { queryReader } from '../http/request.ts'
import type { Handler } from '../http/router.ts'
import { lastEventIdOf } from '../live/event-id.ts'
import { createStreams } from '../live/streams.ts'
import { userNameOf, visibleUser } from './parameters.ts'
import type { Services } from './services.ts'

const eventOptions = queryReader(eventOptionsSchema)

const HEADERS_OF_STREAMS = {
  'content-type': EVENT_STREAM.type,
  'cache-control': 'no-store',
  // Without this header, nginx would buffer the events.
  'x-accel-buffering': 'no',
}

/** Creates the handler of `/events`, and a function that ends all streams. */
export function createEvents(services: Services) {
  const {
    storage,
    users,
    schedule,
    readQueue,
    metrics,
    storeId,
    streams: limits,
    isAccepting,
    gamemodes,
    logger,
  } = services
  const streams = createStreams({ storage, users, schedule, readQueue, metrics, storeId, gamemodes, logger, limits })
  const handle: Handler = async (context) => {
    const { request, query, client, site, keyOwner } = context
    if (!userNameOf(query)) throw new HttpError('missing_name')
    const gamemode = gamemodes.named(query.getAll('gamemode'))
    context.gamemode = gamemode
    const { kind, follow } = eventOptions(query)
    const user = await visibleUser(services, context)
    if (request.method === 'HEAD') return { status: 200, body: null, headers: HEADERS_OF_STREAMS }
    if (!isAccepting()) {
      throw new HttpError('unavailable', {
        message: 'The server is stopping. Connect again.',
        headers: { [HEADERS.retryAfter]: '1' },
      })
    }
    const body = await streams.open({
      user,
      gamemode,
      kind,
      lastEventId: lastEventIdOf(request),
      follow: follow !== 'false',
      ...{ client, site, keyOwner },
      signal: request.signal,
    })
    return { status: 200, body, headers: HEADERS_OF_STREAMS }
  }
  return { handle, close: streams.close }
}
