import type { EVENTS, Kind } from '@fish-crab/sdk/contract'
import type { StoredRecord } from '../../storage/core/types.ts'
import type { EventIds, Position, Positions } from './event-id.ts'

/** How long a client waits before it connects again, in milliseconds. */
const RETRY_MS = 2000

/** A comment (HTML standard, section 9.2.6), which keeps the connection open. */
export const HEARTBEAT = ':\n\n'

export function eventText(name: (typeof EVENTS)[number], data: string, id?: string): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`
}

/** The beginning of a stream. Its id makes a client that is cut off before its first catch resume there. */
export function openingText(data: { readonly user: string; readonly gamemode: string }, id: string): string {
  return `retry: ${RETRY_MS}\n\n${eventText('ready', JSON.stringify(data), id)}`
}

/** A record with the data of its events, which all streams share. */
export interface CatchRecord {
  readonly sequence: number
  readonly data: readonly string[]
}

export function toCatchRecord({ sequence, entries }: StoredRecord, kind: Kind): CatchRecord {
  const parsed = JSON.parse(`[${entries}]`) as object[]
  return { sequence, data: parsed.map((entry) => JSON.stringify({ kind, ...entry })) }
}

/** The events of records, from a position on, and the position behind them. */
export function catchEvents(
  records: readonly CatchRecord[],
  kind: Kind,
  positions: Positions,
  ids: EventIds,
): { readonly text: string; readonly position: Position } {
  const after = new Map(positions)
  let position = after.get(kind) as Position
  let text = ''
  for (const { sequence, data } of records) {
    if (sequence < position.sequence) continue
    const sent = sequence === position.sequence ? position.offset : 0
    for (let at = sent; at < data.length; at += 1) {
      after.set(kind, at + 1 < data.length ? { sequence, offset: at + 1 } : { sequence: sequence + 1, offset: 0 })
      text += eventText('catch', data[at] ?? '', ids.format(after))
    }
    position = { sequence: sequence + 1, offset: 0 }
  }
  return { text, position }
}
