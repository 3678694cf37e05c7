import type { Gamemode, RarityValue } from '@fish-crab/sdk/constants'
import type { NewCatch } from '@fish-crab/sdk/outbox'
import { parseRarity, rarityList } from '../../core/parse-values.ts'
import type { FileRecord, Problem } from './records.ts'
import { EXAMPLE_ZONE, NO_ZONE, parseTime } from './time.ts'

export interface FileDefaults {
  readonly user: string
  /** The player whose catches to add from an export, as a key for comparison. @default `user`, and no other player */
  readonly player?: string | undefined
  readonly gamemode?: Gamemode | undefined
  readonly rarity?: RarityValue | undefined
  readonly kind: NewCatch['kind']
  /** Time zone for times without a zone, such as `Europe/Berlin`. @default a time without a zone is an error */
  readonly timeZone?: string | undefined
}

/** A catch in a file. `id` is the record id, if the file is output of `list`. */
export interface FileCatch {
  readonly at: string
  readonly entry: NewCatch
  readonly id: string | undefined
}

export function catchOf(record: FileRecord, defaults: FileDefaults): FileCatch | Problem {
  if ('problem' in record) return record
  const { at, fields } = record
  const kind = lowerCase(fields.kind) ?? defaults.kind
  const { name } = fields
  const gamemode = lowerCase(fields.gamemode)
  if (gamemode === undefined && !defaults.gamemode) {
    return { at, problem: 'gamemode: Missing; to set it for all catches, add --gamemode.' }
  }
  const caughtAt = parseTime(fields.caughtAt, defaults.timeZone) ?? undefined
  if (caughtAt === NO_ZONE) {
    const problem = `caughtAt: No time zone; to set it for all catches, add --timezone, such as --timezone ${EXAMPLE_ZONE}.`
    return { at, problem }
  }
  const given = Object.entries({ name, gamemode, caughtAt }).filter(([, value]) => value !== undefined)
  const about = Object.fromEntries(given)
  const id = typeof fields.id === 'string' ? fields.id : undefined
  if (kind === 'crab') {
    if ((fields.rarity ?? undefined) !== undefined) return { at, problem: 'rarity: A crab has no rarity.' }
    return { at, id, entry: { kind, ...about } as NewCatch }
  }
  if (kind !== 'fish') return { at, problem: `kind: Must be fish or crab${notValue(kind)}.` }
  const rarity = fields.rarity ?? defaults.rarity
  if (rarity === undefined)
    return {
      at,
      problem: 'rarity: Missing; to set it for all fish, add --rarity. If the catches are crabs, add --crab.',
    }
  const value = ['number', 'string'].includes(typeof rarity) ? parseRarity(String(rarity)) : undefined
  if (value === undefined) return { at, problem: `rarity: Must be one of ${rarityList()}${notValue(rarity)}.` }
  return { at, id, entry: { kind, rarity: value, ...about } as NewCatch }
}

const MAX_QUOTED = 40

/** Returns the end of an error message that quotes the wrong value, such as `, not "blue"`. */
export function notValue(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return `, not "${text.slice(0, MAX_QUOTED)}${text.length > MAX_QUOTED ? '…' : ''}"`
}

function lowerCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : (value ?? undefined)
}
