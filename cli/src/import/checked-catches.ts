import { isValidationError } from '@fish-crab/sdk'
import { type Gamemode, type RarityValue, rarityValue } from '@fish-crab/sdk/constants'
import { memoryStore, type NewCatch, openOutbox } from '@fish-crab/sdk/outbox'
import { EXAMPLE_ZONE, momentOf, NO_ZONE } from './moments.ts'
import { readRecords } from './read-records.ts'
import type { FileRecord } from './records.ts'
import type { ImportSource } from './source.ts'

/** What holds for records that do not say otherwise. */
export interface ImportDefaults {
  readonly user: string
  readonly gamemode?: Gamemode | undefined
  readonly rarity?: RarityValue | undefined
  readonly kind: NewCatch['kind']
  /** The time zone of times that say none, such as `Europe/Berlin`. @default such times are wrong */
  readonly timeZone?: string | undefined
}

/** A line that cannot be taken. */
export interface WrongLine {
  readonly line: number
  readonly problem: string
}

/** Catches of a file, some at a time: those that are right, and the lines that are not. */
export interface CatchGroup {
  readonly catches: readonly NewCatch[]
  readonly wrong: readonly WrongLine[]
}

const GROUP_SIZE = 500

/** Reads the catches of a file, and checks each as the outbox will. */
export async function* checkedCatches(source: ImportSource, defaults: ImportDefaults): AsyncGenerator<CatchGroup> {
  const { user, gamemode } = defaults
  // Takes everything and keeps nothing: all it does is check.
  const store = { ...memoryStore(), add: () => ({ type: 'added', addedIndexes: [] }) as const }
  await using checker = await openOutbox({ user, gamemode, store })
  let group: FileRecord[] = []
  const check = async (): Promise<CatchGroup> => {
    const read = group.map((record) => ('problem' in record ? record : catchOf(record, defaults)))
    group = []
    const right = read.flatMap((one) => ('problem' in one ? [] : [one]))
    const wrong = read.flatMap((one) => ('problem' in one ? [one] : []))
    const found = await problemsOf(right, (catches) => checker.add(catches))
    return {
      catches: right.filter(({ line }) => !found.some((one) => one.line === line)).map((one) => one.entry),
      wrong: [...wrong, ...found].sort((a, b) => a.line - b.line),
    }
  }
  for await (const record of readRecords(source.extension, source.text())) {
    group.push(record)
    if (group.length === GROUP_SIZE) yield await check()
  }
  if (group.length > 0) yield await check()
}

interface ReadCatch {
  readonly line: number
  readonly entry: NewCatch
}

function catchOf(
  { line, fields }: Extract<FileRecord, { fields: unknown }>,
  defaults: ImportDefaults,
): ReadCatch | WrongLine {
  const kind = typeof fields.kind === 'string' ? fields.kind.toLowerCase() : (fields.kind ?? defaults.kind)
  const { name } = fields
  const gamemode = typeof fields.gamemode === 'string' ? fields.gamemode.toLowerCase() : fields.gamemode
  if ((gamemode === undefined || gamemode === null) && !defaults.gamemode) {
    return { line, problem: 'gamemode: Is missing; give one for all with --gamemode.' }
  }
  const caughtAt = momentOf(fields.caughtAt, defaults.timeZone)
  if (caughtAt === NO_ZONE) {
    return {
      line,
      problem: `caughtAt: Has no time zone; give one for all with --timezone, such as --timezone ${EXAMPLE_ZONE}.`,
    }
  }
  const about = {
    ...(name === undefined ? {} : { name }),
    ...(gamemode === undefined || gamemode === null ? {} : { gamemode }),
    ...(caughtAt === undefined || caughtAt === null ? {} : { caughtAt }),
  }
  if (kind === 'crab') {
    if (fields.rarity !== undefined && fields.rarity !== null) return { line, problem: 'rarity: A crab has none.' }
    return { line, entry: { kind, ...about } as NewCatch }
  }
  if (kind !== 'fish') return { line, problem: 'kind: Must be fish or crab.' }
  const rarity = fields.rarity ?? defaults.rarity
  if (rarity === undefined)
    return { line, problem: 'rarity: Is missing; give one for all with --rarity, or say --crab.' }
  const value = rarityOf(rarity)
  if (value === undefined) return { line, problem: 'rarity: There is no such rarity.' }
  return { line, entry: { kind, rarity: value, ...about } as NewCatch }
}

function rarityOf(rarity: unknown): RarityValue | undefined {
  if (typeof rarity === 'number') return rarityValue(rarity)
  if (typeof rarity !== 'string') return undefined
  return rarityValue(/^\d+$/.test(rarity) ? Number(rarity) : rarity)
}

async function problemsOf(
  read: readonly ReadCatch[],
  check: (catches: readonly NewCatch[]) => Promise<unknown>,
): Promise<readonly WrongLine[]> {
  try {
    await check(read.map(({ entry }) => entry))
    return []
  } catch (error) {
    if (!isValidationError(error)) throw error
    const problems = new Map<number, string>()
    for (const { path, message } of error.issues) {
      const [, index = '0', field = 'record'] = /^catches\.(\d+)\.?(.*)$/.exec(path) ?? []
      const line = read[Number(index)]?.line ?? 0
      problems.set(line, [problems.get(line), `${field}: ${message}`].filter((one) => one !== undefined).join(' '))
    }
    return [...problems].map(([line, problem]) => ({ line, problem }))
  }
}
