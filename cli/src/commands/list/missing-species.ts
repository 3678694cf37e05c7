import { foldSpeciesName } from '@fish-crab/sdk/constants'
import { usageError } from '../../core/errors.ts'
import type { Session } from '../../session/session.ts'
import type { Column } from '../../terminal/table.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type CatchKind, KIND_PLURALS } from './catch-list.ts'

interface MissingOptions {
  readonly kind: CatchKind
  readonly user: string
  readonly gamemode: string
}

const COLUMNS: readonly Column[] = [
  { field: 'kind' },
  { field: 'name' },
  { field: 'players', align: 'right' },
  { field: 'hint' },
]

const LIST_FLAGS = ['detail', 'filter', 'since', 'sort', 'limit', 'chart', 'watch'] as const

/** @throws CliError for a flag that applies only to catches */
export function checkMissingFlags(flags: Readonly<Partial<Record<(typeof LIST_FLAGS)[number], unknown>>>): void {
  const given = LIST_FLAGS.find((flag) => flags[flag] !== undefined && flags[flag] !== false)
  if (given) throw usageError(`--missing lists species, so --${given} has no effect.`, `Remove --${given}.`)
}

/** Prints the species that other players have and this player lacks, most players first. */
export async function listMissing(session: Session, terminal: Terminal, options: MissingOptions): Promise<number> {
  const { kind, user, gamemode } = options
  const { signal } = session
  const client = await session.client()
  const [{ species }, own] = await Promise.all([
    client.species({ gamemode, signal }),
    client[kind === 'fish' ? 'fish' : 'crabs'].summary({ user, gamemode, signal }),
  ])
  const known = species.filter((one) => one.kind === kind)
  const caught = new Set(own.species.map(({ name }) => foldSpeciesName(name)))
  const rows = known
    .filter(({ name }) => !caught.has(foldSpeciesName(name)))
    .map(({ name, players, hint }) => ({ kind, name, players, hint: hint ?? null }))
  return terminal.printRows({
    rows,
    columns: COLUMNS,
    document: { user: own.user, gamemode, kind, known: known.length, missing: rows },
    empty:
      known.length === 0
        ? `No ${KIND_PLURALS[kind]} are known in ${gamemode} yet: the service lists a species once several players have it.`
        : `${own.user} has all ${known.length} known ${KIND_PLURALS[kind]} of ${gamemode}.`,
  })
}
