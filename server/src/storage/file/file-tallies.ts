import type { DatabaseSync } from 'node:sqlite'
import type { Leader, LeaderRange, Tally } from '../types.ts'

/** The sums that triggers keep beside the records: each read costs the rows it answers. */
export interface TallyReader {
  tallies(): Tally[]
  leaders(range: LeaderRange): Leader[]
}

/** Prepares the statements that read the sums. */
export function prepareTallies(db: DatabaseSync): TallyReader {
  const tallies = db.prepare('SELECT kind, gamemode, label, count FROM tallies WHERE count > 0')
  const ofKind = db.prepare(
    'SELECT owner, count FROM totals WHERE kind = ? AND count > 0 ORDER BY count DESC, owner LIMIT ?',
  )
  const ofGamemode = db.prepare(
    `SELECT owner, count FROM collections WHERE kind = ? AND gamemode = ? AND count > 0
     ORDER BY count DESC, owner LIMIT ?`,
  )
  return {
    tallies: () =>
      tallies.all().map(({ kind, gamemode, label, count }) => ({
        kind: String(kind),
        gamemode: String(gamemode),
        label: label === '' ? null : String(label),
        count: Number(count),
      })),
    leaders: ({ kind, gamemode, limit }) => {
      const rows = gamemode === undefined ? ofKind.all(kind, limit) : ofGamemode.all(kind, gamemode, limit)
      return rows.map(({ owner, count }) => ({ owner: String(owner), count: Number(count) }))
    },
  }
}
