import { exportQuerySchema, KINDS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { csvLine } from '../../../../sdk/src/internal/csv.ts'
import { parseEntries } from '../../storage/core/tally.ts'
import type { StoredEntry } from '../../storage/core/types.ts'
import { yieldToEvents } from '../core/schedule.ts'
import { queryReader } from '../http/request.ts'
import { textStream } from '../http/response.ts'
import type { AdminHandlers, Services } from './services.ts'

/** One catch of an export. */
interface Row extends StoredEntry {
  readonly player: string
  readonly kind: string
  readonly gamemode: string
  /** The id of the record. */
  readonly id: string
  /** The index of the catch in its record. */
  readonly entry: number
}

type Format = 'csv' | 'jsonl'

const COLUMNS = ['player', 'kind', 'gamemode', 'name', 'rarity', 'caughtAt', 'id', 'entry'] as const

const FORMATS: Readonly<Record<Format, { readonly type: string; readonly head: string; line(row: Row): string }>> = {
  csv: {
    type: `${MEDIA_TYPES.csv}; charset=utf-8`,
    head: csvLine(COLUMNS),
    line: (row) => csvLine(COLUMNS.map((column) => row[column])),
  },
  jsonl: { type: MEDIA_TYPES.ndjson, head: '', line: (row) => `${JSON.stringify(row)}\n` },
}

/** Number of characters that are read in one turn. */
const TURN_CHARACTERS = 64 * 1024
/** Number of users that are read in one turn. */
const TURN_USERS = 20
const USERS_AT_ONCE = 100

const readQuery = queryReader(exportQuerySchema)

/** Creates the handler that exports the catches of all players. */
export function exportHandlers(services: Services): AdminHandlers {
  const { storage, users, gamemodes, audit, readQueue } = services

  /** Yields an empty list after each user. */
  async function* rowsOf({ kind, gamemode }: ReturnType<typeof readQuery>): AsyncGenerator<Row[], void> {
    const kinds = kind ? [kind] : KINDS
    const names = gamemode ? [gamemode] : gamemodes.names
    // A user who is renamed during the export may be listed again under the new name.
    const exported = new Set<string>()
    let cursor: string | undefined
    do {
      const page = await users.list({ limit: USERS_AT_ONCE, cursor })
      for (const { id: owner, name: player } of page.users) {
        if (exported.has(owner)) continue
        exported.add(owner)
        for (const collection of kinds.flatMap((one) => names.map((name) => ({ owner, kind: one, gamemode: name })))) {
          for await (const chunk of storage.read(collection)) {
            yield chunk.flatMap(({ id, entries }) =>
              parseEntries(entries).flatMap((one, entry) =>
                one ? [{ player, kind: collection.kind, gamemode: collection.gamemode, ...one, id, entry }] : [],
              ),
            )
          }
        }
        await yieldToEvents()
        yield []
      }
      cursor = page.nextCursor
    } while (cursor !== undefined)
  }

  /** Yields texts of about the length that one turn may read. */
  async function* textsOf(query: ReturnType<typeof readQuery>, format: Format): AsyncGenerator<string, void> {
    const { head, line } = FORMATS[format]
    let text = head
    let users = 0
    for await (const rows of rowsOf(query)) {
      for (const row of rows) text += line(row)
      if (rows.length === 0) users += 1
      if (text.length < TURN_CHARACTERS && users < TURN_USERS) continue
      yield text
      text = ''
      users = 0
    }
    yield text
  }

  return {
    async exportCatches(context, admin) {
      const query = readQuery(context.query)
      const { format = 'csv', gamemode } = query
      gamemodes.check(gamemode, 'invalid_query', 'gamemode')
      await audit.record(context, admin.username, 'export', gamemode === undefined ? {} : { gamemode })
      const { site: client, request } = context
      const texts = textsOf(query, format)
      const next = () => readQueue.run({ client, signal: request.signal, work: () => texts.next() })
      // The first turn comes before the response, so that a service that is too busy can refuse the request.
      const first = await next()
      async function* body(): AsyncGenerator<string, void> {
        try {
          for (let { value, done } = first; !done; { value, done } = await next()) if (value) yield value
        } finally {
          await texts.return()
        }
      }
      return {
        status: 200,
        body: textStream(body()),
        headers: {
          'content-type': FORMATS[format].type,
          'content-disposition': `attachment; filename="catches.${format}"`,
        },
      }
    },
  }
}
