import { type Client, NotFoundError } from '@fish-crab/sdk'
import { CliError, EXIT } from '../../core/errors.ts'
import { Args, defineCommand, Flags, words } from '../../kit/define.ts'
import { administrationFlags, outputFlags } from '../../kit/flags.ts'
import type { Session } from '../../session/session.ts'
import type { Column } from '../../terminal/table.ts'
import { kindNamed, unknownKind } from './catch-list.ts'
import { parseCatchQuery } from './catch-query.ts'

const COLUMNS: readonly Column[] = [
  { field: 'place', title: '#', align: 'right' },
  { field: 'name', title: 'PLAYER' },
  { field: 'count', align: 'right' },
]

export const leaderboardCommand = defineCommand({
  summary: 'Show who has caught the most.',
  description:
    'Players with equal counts share a place. Everybody can see a leaderboard that the operator has published. ' +
    'Administrators can always see the leaderboard, with --admin.',
  examples: [
    'fish-cli leaderboard',
    'fish-cli leaderboard crabs --gamemode earth --limit 3',
    'fish-cli leaderboard fish --chart',
  ],
  args: { kind: Args.string({ description: 'fish or crabs (default fish)' }) },
  flags: {
    gamemode: Flags.string({ char: 'g', summary: 'Count only this gamemode (default: all).', helpValue: 'GAMEMODE' }),
    limit: Flags.string({
      summary: 'Show at most N players, 1 to 1000 (default 10; without --admin, 1 to 100).',
      helpValue: 'N',
    }),
    chart: Flags.boolean({ summary: 'Draw bars.' }),
    ...administrationFlags,
    ...outputFlags,
  },
  // The role selects the hint for an error about missing rights. In this command, only an administrator can get such an
  // error.
  role: 'administrator',
  completion: { kind: words(['fish', 'crabs']) },

  async run({ session, terminal, args, flags }) {
    const type = kindNamed(args.kind)
    if (!type) throw unknownKind('fish-cli leaderboard crabs')
    const { limit } = parseCatchQuery({ limit: flags.limit }, session.clock.now())
    const gamemode = flags.gamemode === undefined ? undefined : await session.optionalGamemode()
    const leaderboard = await (session.isAdministrator ? readAsAdministrator : readPublic)(session, {
      kind: type,
      gamemode,
      limit,
    })
    const rows = leaderboard.map(({ name, count }) => ({
      place: 1 + leaderboard.filter((other) => other.count > count).length,
      name,
      count,
    }))
    const output = {
      rows,
      columns: COLUMNS,
      document: { type, gamemode: gamemode ?? null, leaderboard: rows },
      empty: 'No catches yet.',
    }
    if (!flags.chart) return terminal.printRows(output)
    return terminal.printChart({ ...output, charts: [rows.map(({ name, count }) => ({ label: name, value: count }))] })
  },
})

type Range = Pick<Parameters<Client['leaderboard']>[0], 'kind' | 'gamemode' | 'limit'>

async function readAsAdministrator(session: Session, { kind, ...range }: Range) {
  const admin = await session.admin()
  return (await admin.leaderboard({ signal: session.signal, ...range, type: kind })).leaderboard
}

async function readPublic(session: Session, range: Range) {
  const client = await session.client()
  try {
    return (await client.leaderboard({ ...range, signal: session.signal })).leaderboard
  } catch (error) {
    if (!(error instanceof NotFoundError && error.code === 'not_found')) throw error
    throw new CliError({
      code: error.code,
      message: 'This service has no public leaderboard.',
      hint: 'The operator can publish it with FISH_PUBLIC_LEADERBOARD=1. Administrators can run: fish-cli leaderboard --admin admin',
      exit: EXIT.notFound,
      requestId: error.requestId,
    })
  }
}
