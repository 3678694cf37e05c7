import { isDeepStrictEqual } from 'node:util'
import { isGamemode, KINDS, type Kind, rarityValue } from '@fish-crab/sdk/contract'
import { parsePayload } from '../../app/catches/payload.ts'
import { toRecord } from '../../app/catches/record.ts'
import type { NewRecord } from '../../storage/types.ts'
import type { ExportedRecord } from './export-format.ts'

/** What is wrong with a record that no write to the service makes, as the end of a sentence. */
export function recordProblem({ owner: _, kind, gamemode, ...record }: ExportedRecord): string | undefined {
  if (!isKind(kind)) return 'names an unknown kind of catches'
  if (!isGamemode(gamemode)) return 'names an unknown gamemode'
  return isDeepStrictEqual(writtenAgain(kind, record), record)
    ? undefined
    : 'holds catches that the service cannot have stored'
}

function isKind(kind: string): kind is Kind {
  return (KINDS as readonly string[]).includes(kind)
}

/** The record that the service makes of the same catches; `undefined` where it takes no such catches. */
function writtenAgain(kind: Kind, { id, dedupeKey, full }: Omit<NewRecord, 'plain'>): NewRecord | undefined {
  try {
    const stored: Record<string, unknown>[] = JSON.parse(`[${full}]`)
    const { entries } = parsePayload[kind]({ [kind]: stored.map(asSent) })
    return toRecord(entries, { id, dedupeKey, caughtAt: '' })
  } catch {
    return undefined
  }
}

/** An entry as a payload has it: with its rarity as a number. */
function asSent({ rarity, ...entry }: Record<string, unknown>): object {
  return { ...entry, rarity: typeof rarity === 'string' ? rarityValue(rarity) : rarity }
}
