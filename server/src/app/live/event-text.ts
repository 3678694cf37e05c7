import type { EVENTS, Gamemode, Kind } from '@fish-crab/sdk/contract'
import type { StoredRecord } from '../../storage/core/types.ts'
import { formatSlots } from '../catches/record.ts'
import type { Position } from '../core/position.ts'

/** Time after which a client reconnects, in milliseconds. This time is longer than the restart of a crashed server. */
const RETRY_MS = 5000

/** A comment (HTML standard, section 9.2.6), which keeps the connection open. */
export const HEARTBEAT = ':\n\n'

export function eventText(name: (typeof EVENTS)[number], data: string, id?: string): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`
}

/**
 * Returns the retry time and the first event of a stream. If the connection is lost before the first catch, the id of
 * this event lets the client resume from the position at which the stream began.
 */
export function openingText(
  data: { readonly user: string; readonly gamemode: Gamemode | undefined },
  id: string,
): string {
  return `retry: ${RETRY_MS}\n\n${eventText('ready', JSON.stringify(data), id)}`
}

/** A record with the JSON of its events. All streams share this JSON. A removed entry is `undefined`. */
export interface CatchRecord {
  readonly sequence: number
  readonly data: readonly (string | undefined)[]
}

export function toCatchRecord(record: StoredRecord, collection: { kind: Kind; gamemode: Gamemode }): CatchRecord {
  const { kind, gamemode } = collection
  const head = `${JSON.stringify({ kind, gamemode }).slice(0, -1)},`
  return { sequence: record.sequence, data: formatSlots(record, 'full').map((entry) => entry && head + entry.slice(1)) }
}

/**
 * Returns the events of records after a position, and the position after these events.
 *
 * @param idAt the event id of a position in the collection of the records
 */
export function catchEvents(
  records: readonly CatchRecord[],
  start: Position,
  idAt: (position: Position) => string,
): { readonly text: string; readonly position: Position } {
  let position = start
  let text = ''
  for (const { sequence, data } of records) {
    if (sequence < position.sequence) continue
    const sent = sequence === position.sequence ? position.offset : 0
    for (let at = sent; at < data.length; at += 1) {
      const entry = data[at]
      if (entry === undefined) continue
      const after = at + 1 < data.length ? { sequence, offset: at + 1 } : { sequence: sequence + 1, offset: 0 }
      text += eventText('catch', entry, idAt(after))
    }
    position = { sequence: sequence + 1, offset: 0 }
  }
  return { text, position }
}
